//! What shows and watches the metrics of gpulint: a dashboard for Grafana and alert rules for Prometheus. They are the same for every
//! project.

/// Each file with its name.
pub const FILES: [(&str, &str); 2] = [
    ("gpulint-dashboard.json", include_str!("../../packaging/monitoring/gpulint-dashboard.json")),
    ("gpulint-alerts.yml", include_str!("../../packaging/monitoring/gpulint-alerts.yml")),
];
