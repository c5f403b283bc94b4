//! The editor's own settings: when they come, and when they change.

use super::Session;
use crate::server::wishes;
use lsp_server::{RequestId, Response};
use lsp_types::MessageType;
use serde_json::{Value, json};
use std::sync::Arc;

impl Session {
    /// Asks the editor for what stands under `gpulint` in its settings, where it can be asked.
    pub(super) fn ask_for_settings(&mut self) {
        if self.client.tells_settings {
            let id = self.out.ask("workspace/configuration", json!({"items": [{"section": "gpulint"}]}));
            self.settings_asked = Some(RequestId::from(id));
        }
    }

    /// Settings have changed. Some editors say how, the others are asked.
    pub(super) fn settings_changed(&mut self, told: &Value) {
        match told.get("settings").filter(|settings| settings.is_object()) {
            Some(settings) if !self.client.tells_settings => self.take_settings(&settings.clone()),
            _ => self.ask_for_settings(),
        }
    }

    /// The answer to a question of ours; what was asked as a favour needs no answer.
    pub(super) fn answered(&mut self, response: Response) {
        if self.settings_asked.as_ref() != Some(&response.id) {
            return;
        }
        self.settings_asked = None;
        if let Ok(answer) = response.response_result {
            self.take_settings(&answer.get(0).cloned().unwrap_or_default());
        }
    }

    /// What the editor says holds above the command line, until it says something else.
    pub(super) fn take_settings(&mut self, settings: &Value) {
        if *settings == self.settings || (settings.is_null() && self.settings.is_null()) {
            return;
        }
        self.settings.clone_from(settings);
        let (options, wrong) = wishes::with(&self.base, settings);
        self.options = Arc::new(options);
        for told in wrong {
            self.out.show(MessageType::Warning, &format!("gpulint: {told}"));
        }
        self.waiting.forget_hints();
        self.disk_changed = true;
        self.check_soon();
    }
}
