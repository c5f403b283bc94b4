//! Compose files: each service is a container, with variables, a command and the GPUs that it is given.

use super::super::command_lines::change_folder;
use super::super::containers;
use super::super::images;
use super::command_words;
use super::containers::Gpus;
use super::layers::Layers;
use super::reader::{Entry, Node};
use super::values::{References, merged, unknown, value, variables};
use super::{Lowering, MASK, set_all};
use crate::code::{
    Block, Expr, ExprKind, Extended, Host, Image, Observation, SetVariable, Statement, StatementKind,
};
use crate::facts::Span;
use crate::sources::Source;
use std::rc::Rc;

/// Whether a document is a compose file.
pub fn is_compose(root: &Node<'_>, file: &str) -> bool {
    let Some(services) = root.get("services") else { return false };
    let is_service =
        |service: &Entry<'_>| ["image", "build"].iter().any(|key| service.value.get(key).is_some());
    let says =
        |service: &Entry<'_>| ["environment", "command"].iter().any(|key| service.value.get(key).is_some());
    let named = file.contains("compose");
    services.entries().iter().any(|service| is_service(service) || (named && says(service)))
        || (named && services.entries().iter().any(|service| service.value.get("extends").is_some()))
}

/// Lowers a compose file.
pub fn lower<'s>(root: &Rc<Node<'s>>, lowering: &mut Lowering<'s>) {
    let Some(services) = root.get("services") else { return };
    for service in services.entries() {
        if lowering.spend(service.value.span.range().len()) {
            lower_service(service, services, lowering);
        }
    }
}

fn lower_service<'s>(entry: &Entry<'s>, services: &Node<'s>, lowering: &mut Lowering<'s>) {
    let base = |service: &Node<'s>| {
        let Some(extends) = service.get("extends") else { return Vec::new() };
        let here = extends.get("file").is_none();
        let name = extends.get("service").unwrap_or(extends).text();
        name.into_iter().filter(|_| here).collect()
    };
    let service = Layers::of(&entry.value, services, base);
    let source = lowering.source;
    let mut body: Block<'s> = Vec::new();
    let set = service.all("environment").map(|map| variables(map, References::Dollar, source)).collect();
    let set = merged(set);
    let mut gpus = given(&service);
    gpus.read_variables(&set);
    let extended = in_other_file(&service, source);
    let host = if extended.is_some() { Host::Container } else { gpus.host(&set, without_gpus(&service)) };
    body.extend(extended);
    body.extend(gpus.steps(entry.key.span));
    // A privileged container has all GPUs of its machine, so that a mask counts among these.
    let is_privileged = service.get("privileged").is_some_and(|told| told.text() == Some("true"));
    gpus.count = gpus.count.filter(|_| !is_privileged);
    body.extend(containers::remapped(&set, gpus.count, source).filter(|_| !is_privileged));
    body.extend(contradictions(&service, &set, source));
    body.extend(without_group(&service, source));
    body.extend(for_cpu(&service, source));
    let given = gpus.count.filter(|_| !may_have_mask(&service, &set));
    for file in service.all("env_file").flat_map(|files| files.one_or_more()) {
        body.extend(settings_file(file.get("path").unwrap_or(file), lowering));
    }
    body.extend(set_all(set));
    body.extend(override_of(&source.name, entry));
    if let Some(folder) = service.get("working_dir") {
        body.push(change_folder(value(folder, References::Dollar, source)));
    }
    let words: Vec<&Rc<Node<'s>>> =
        [service.get("entrypoint"), service.get("command")].into_iter().flatten().collect();
    body.extend(image_of(&service, entry.key.span, given));
    if let Some(last) = words.last().filter(|_| !is_only_arguments(&service)) {
        let span = last.span;
        let nodes: Vec<&Node<'s>> = words.iter().map(|node| &***node).collect();
        body.extend(command_words::step(&nodes, span, References::Dollar, lowering));
    }
    lowering.add_unit(entry.key.span, format!("service `{}`", entry.key()), host, body);
}

/// `extends: {file: base.yml, service: gpu}`
fn in_other_file<'s>(service: &Layers<'s>, source: &'s Source) -> Option<Statement<'s>> {
    let extends = service.get("extends")?;
    let (file, name) = (extends.get("file")?, extends.get("service")?.text()?);
    let extended = Extended { file: file.text()?.into(), unit: format!("service `{name}`"), optional: false };
    let own = file.text().is_some_and(|file| source.name.ends_with(file.trim_start_matches("./")));
    (!own).then(|| Statement { span: extends.span, kind: StatementKind::Extend(Box::new(extended)) })
}

/// `docker compose up` reads `compose.override.yml` beside `compose.yml`.
fn override_of<'s>(path: &str, entry: &Entry<'s>) -> Vec<Statement<'s>> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let Some(stem) = file.strip_suffix(".yml").or_else(|| file.strip_suffix(".yaml")) else {
        return Vec::new();
    };
    if !matches!(stem, "compose" | "docker-compose") {
        return Vec::new();
    }
    let files = [format!("{stem}.override.yml"), format!("{stem}.override.yaml")];
    let step = |file: String| {
        let unit = format!("service `{}`", entry.key());
        let extended = Extended { file: file.into(), unit, optional: true };
        Statement { span: entry.key.span, kind: StatementKind::Extend(Box::new(extended)) }
    };
    files.into_iter().map(step).collect()
}

/// `build: .`: the image is one of the project.
fn image_of<'s>(service: &Layers<'s>, span: Span, given: Option<usize>) -> Option<Statement<'s>> {
    let build = service.get("build")?;
    let text = |key: &str| build.get(key).and_then(|value| value.text());
    let context = build.text().or_else(|| text("context")).filter(|_| text("dockerfile_inline").is_none())?;
    let file = match text("dockerfile") {
        Some(file) if file.starts_with('/') => file.to_owned(),
        file => format!("{}/{}", context.trim_end_matches('/'), file.unwrap_or("Dockerfile")),
    };
    let starts = |key: &str| service.get(key).is_some();
    let replaced = (starts("command") || starts("entrypoint")) && !is_only_arguments(service);
    let image = Image { file: file.into(), stage: text("target"), replaced, given };
    Some(Statement { span, kind: StatementKind::Image(Box::new(image)) })
}

/// Whether the container has a mask that its image does not set.
fn may_have_mask(service: &Layers<'_>, set: &[SetVariable<'_>]) -> bool {
    set.iter().any(|set| set.name == MASK)
        || ["env_file", "extends"].iter().any(|key| service.get(key).is_some())
}

/// Where a service runs that asks for no GPU. Some keys may bring one that they do not name.
fn without_gpus(service: &Layers<'_>) -> Host {
    let open = ["devices", "env_file", "privileged", "runtime", "device_cgroup_rules", "platform"];
    match open.iter().any(|key| service.get(key).is_some()) {
        true => Host::NoGpu,
        false => Host::BareContainer,
    }
}

/// `command: [--port, "80"]` goes behind what the image starts.
fn is_only_arguments(service: &Layers<'_>) -> bool {
    let first = service.get("command").map(|command| match command.items().first() {
        Some(first) => first.text().unwrap_or_default(),
        None => command.text().unwrap_or_default(),
    });
    service.get("entrypoint").is_none() && first.is_some_and(|first| first.trim_start().starts_with('-'))
}

/// `env_file: gpu.env`: what the file sets, the container gets.
fn settings_file<'s>(file: &Node<'s>, lowering: &Lowering<'s>) -> Block<'s> {
    let span = file.span;
    let path: Expr<'s> = value(file, References::Dollar, lowering.source);
    let path = if file.text().is_some() { path } else { unknown(span) };
    let steps =
        [StatementKind::ExportAll(true), StatementKind::Source(path), StatementKind::ExportAll(false)];
    steps.into_iter().map(|kind| Statement { span, kind }).collect()
}

/// The requests of a service for devices.
fn requests<'s>(service: &Layers<'s>) -> Vec<Rc<Node<'s>>> {
    let reserved = service
        .get("deploy")
        .and_then(|deploy| deploy.get("resources")?.get("reservations")?.get("devices").cloned());
    let asked = service.get("gpus").cloned();
    reserved.iter().chain(&asked).flat_map(|devices| devices.one_or_more().to_vec()).collect()
}

/// GPUs that are asked for by number where others are named: the engine refuses both in one request, and overwrites a
/// variable.
fn contradictions<'s>(
    service: &Layers<'s>,
    set: &[SetVariable<'s>],
    source: &'s Source,
) -> Vec<Statement<'s>> {
    let mut seen = without_capabilities(service, source);
    seen.extend(misplaced(service, source));
    seen.extend(without_runtime(service, set, source));
    seen.extend(privileged(service, set, source));
    for request in requests(service) {
        seen.extend(ids_of_no_card(&request, source));
        let Some(count) = request.get("count") else { continue };
        if request.get("device_ids").is_some() {
            seen.push(containers::observed_at(Observation::CountAndNames, "count", count.span, source));
        }
        let Some(number) = count.text().and_then(|count| count.parse().ok()) else { continue };
        let Some(named) = set.iter().find(|set| set.name == "NVIDIA_VISIBLE_DEVICES") else { continue };
        let devices = match named.value.as_ref().map(|value| &value.kind) {
            Some(ExprKind::Text(text)) => text.to_string(),
            Some(ExprKind::Int(index)) => index.to_string(),
            _ => continue,
        };
        if containers::names_others(&devices, number) {
            let text = format!("NVIDIA_VISIBLE_DEVICES={devices}");
            seen.push(containers::observed_at(Observation::CountOverNames, &text, named.span, source));
        }
    }
    seen
}

/// The ids in a request for cards of NVIDIA that are neither a number nor a UUID; a variable may be either.
fn ids_of_no_card<'s>(request: &Node<'s>, source: &'s Source) -> Vec<Statement<'s>> {
    let is_nvidia = request.get("driver").is_none_or(|driver| driver.text() == Some("nvidia"));
    let ids = request.get("device_ids").filter(|_| is_nvidia);
    let texts = ids.into_iter().flat_map(|ids| ids.items()).filter_map(|id| Some((id.text()?, id.span)));
    let wrong = texts.filter(|(id, _)| {
        // `0:1` is a slice of a card; names with a slash belong to the Container Device Interface.
        let is_number = id.chars().all(|c| c.is_ascii_digit() || c == ':') && !id.is_empty();
        let is_name = ["GPU-", "MIG-", "all"].iter().any(|start| id.starts_with(start));
        !is_number && !is_name && !id.contains(['$', '/', '<'])
    });
    wrong.map(|(id, span)| containers::observed_at(Observation::NamesNoCard, id, span, source)).collect()
}

/// NVIDIA_VISIBLE_DEVICES of a service that asks for no GPU in any other way.
fn without_runtime<'s>(
    service: &Layers<'s>,
    set: &[SetVariable<'s>],
    source: &'s Source,
) -> Option<Statement<'s>> {
    let named = set.iter().find(|set| set.name == "NVIDIA_VISIBLE_DEVICES")?;
    let devices = match &named.value.as_ref()?.kind {
        ExprKind::Text(text) => text.trim().to_owned(),
        ExprKind::Int(index) => index.to_string(),
        _ => return None,
    };
    let is_open = matches!(devices.as_str(), "" | "none" | "void") || devices.contains(['$', '{']);
    let asks = ["deploy", "devices", "device_cgroup_rules", "extends", "gpus", "privileged", "runtime"];
    if is_open || asks.iter().any(|key| service.get(key).is_some()) {
        return None;
    }
    let text = format!("NVIDIA_VISIBLE_DEVICES={devices}");
    Some(containers::observed_at(Observation::ChoiceWithoutRuntime, &text, named.span, source))
}

/// `privileged: true` of a service that is given some of the GPUs: all devices of the machine are in the container.
fn privileged<'s>(
    service: &Layers<'s>,
    set: &[SetVariable<'s>],
    source: &'s Source,
) -> Option<Statement<'s>> {
    let has_mask = set.iter().any(|set| set.name == MASK);
    let told = service.get("privileged").filter(|told| told.text() == Some("true") && !has_mask)?;
    // `nvidia.com/gpu=all` is how CDI names all of them.
    let is_card = |text: &str| {
        let name = text.trim().rsplit('=').next().unwrap_or_default();
        !matches!(name, "" | "all" | "none" | "void") && !text.contains(['$', '{'])
    };
    let is_some = |set: &SetVariable<'_>| match set.value.as_ref().map(|value| &value.kind) {
        Some(ExprKind::Text(text)) => is_card(text),
        Some(ExprKind::Int(_)) => true,
        _ => false,
    };
    let by_variable = set.iter().any(|set| set.name == "NVIDIA_VISIBLE_DEVICES" && is_some(set));
    let by_request = requests(service).iter().any(|request| {
        let count = request.get("count").and_then(|count| count.text());
        let ids = request.get("device_ids").map(|ids| ids.items()).unwrap_or_default();
        let are_cards = !ids.is_empty() && ids.iter().all(|id| id.text().is_some_and(is_card));
        are_cards || count.is_some_and(|count| count.parse::<u32>().is_ok())
    });
    let seen = || {
        containers::observed_at(Observation::PrivilegedBesideChoice, "privileged: true", told.span, source)
    };
    (by_variable || by_request).then(seen)
}

/// Reservations that say no capability, which the engine refuses: often one request that was written as several.
fn without_capabilities<'s>(service: &Layers<'s>, source: &'s Source) -> Vec<Statement<'s>> {
    let reserved = service
        .get("deploy")
        .and_then(|deploy| deploy.get("resources")?.get("reservations")?.get("devices").cloned());
    let mut requests = reserved.iter().flat_map(|devices| devices.items());
    let lacking = requests.find(|request| {
        let has = |key: &str| request.get(key).is_some();
        ["driver", "count", "device_ids"].iter().any(|key| has(key)) && !has("capabilities") && !has("<<")
    });
    let key =
        lacking.and_then(|request| request.entries().first().map(|first| (first.key.span, request.span)));
    let seen = key.map(|(key, request)| {
        let span = Span { start: key.start, end: request.end };
        containers::observed_at(Observation::RequestWithoutCapabilities, "devices", span, source)
    });
    seen.into_iter().collect()
}

/// Requests for GPUs that stand beside `deploy.resources.reservations.devices`, where Compose knows no such key.
fn misplaced<'s>(service: &Layers<'s>, source: &'s Source) -> Option<Statement<'s>> {
    const PLACES: &[&[&str]] = &[
        &["deploy", "resources", "limits", "devices"],
        &["deploy", "resources", "devices"],
        &["deploy", "devices"],
        &["deploy", "reservations", "devices"],
    ];
    PLACES.iter().find_map(|path| {
        let mut node = service.get(path[0])?.clone();
        let mut at = None;
        for key in &path[1..] {
            let entry = node.entries().iter().find(|entry| entry.key.text() == Some(*key))?;
            at = Some(entry.key.span);
            node = entry.value.clone();
        }
        let asks =
            |request: &Rc<Node<'s>>| ["driver", "capabilities"].iter().any(|key| request.get(key).is_some());
        node.items().iter().any(asks).then_some(())?;
        Some(containers::observed_at(Observation::MisplacedRequest, &path.join("."), at?, source))
    })
}

/// A plain user by number, beside devices of AMD that belong to a group of the host.
fn without_group<'s>(service: &Layers<'s>, source: &'s Source) -> Option<Statement<'s>> {
    let user = service.get("user")?;
    let (id, group) =
        user.text()?.split_once(':').map_or((user.text()?, None), |(id, group)| (id, Some(group)));
    let is_plain = id.parse::<u32>().is_ok_and(|id| id > 0) && group.is_none_or(|group| group == id);
    let devices = service.get("devices")?;
    let has_kfd =
        devices.items().iter().filter_map(|device| device.text()).any(|name| name.starts_with("/dev/kfd"));
    let is_let_in = ["group_add", "privileged", "extends"].iter().any(|key| service.get(key).is_some());
    (is_plain && has_kfd && !is_let_in).then(|| {
        containers::observed_at(Observation::KfdWithoutGroup, user.text().unwrap_or(id), user.span, source)
    })
}

/// The GPUs that a service asks for.
fn given(service: &Layers<'_>) -> Gpus {
    let mut gpus = Gpus::default();
    for device in requests(service) {
        gpus.any = true;
        gpus.count = device.get("count").and_then(|count| count.text()?.parse().ok());
        gpus.single = device.get("count").and_then(|count| count.text()) == Some("1");
        if let Some(ids) = device.get("device_ids") {
            gpus.certain = true;
            gpus.count = Some(ids.items().len());
            gpus.single = ids.items().len() == 1;
            gpus.span = Some(ids.span);
        }
    }
    gpus.any |= has_generic_gpus(service);
    gpus.any |= service.get("runtime").and_then(|runtime| runtime.text()) == Some("nvidia");
    gpus
}

/// GPUs that a service of a swarm asks for: `generic_resources: [{discrete_resource_spec: {kind: NVIDIA-GPU, value: 1}}]`
fn has_generic_gpus(service: &Layers<'_>) -> bool {
    let asked = service
        .get("deploy")
        .and_then(|deploy| deploy.get("resources")?.get("reservations")?.get("generic_resources").cloned());
    asked.iter().flat_map(|list| list.items()).any(|one| {
        let kind = one.get("discrete_resource_spec").and_then(|spec| spec.get("kind")?.text());
        kind.is_some_and(|kind| kind.to_ascii_lowercase().contains("gpu"))
    })
}

/// An image whose tag is that of the build for the CPU, of a service that asks for GPUs.
fn for_cpu<'s>(service: &Layers<'s>, source: &'s Source) -> Option<Statement<'s>> {
    let image = service.get("image")?;
    let name = image.text().filter(|name| service.get("build").is_none() && images::is_for_cpu(name))?;
    let asks = !requests(service).is_empty()
        || service.get("runtime").and_then(|runtime| runtime.text()) == Some("nvidia");
    asks.then(|| containers::observed_at(Observation::ImageWithoutCuda, name, image.span, source))
}
