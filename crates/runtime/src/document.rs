//! What is written down as one JSON document, whole at any moment: records and validations.

use crate::atomic_write;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;
use std::path::Path;

/// Something that is a JSON document of its own, with a published schema.
pub trait Document: Serialize + DeserializeOwned + JsonSchema {
    /// The title of the schema.
    const TITLE: &str;

    /// The document, with a final newline.
    ///
    /// # Errors
    /// None is known.
    fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Writes the document as a whole: whoever reads the file meanwhile finds the old one or the new one.
    ///
    /// # Errors
    /// When the file cannot be written.
    fn write(&self, file: &Path) -> io::Result<()> {
        atomic_write::replace(file, self.to_json()?.as_bytes())
    }

    /// # Errors
    /// When there is no such file, or it holds something else.
    fn read(file: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&std::fs::read(file)?)?)
    }

    /// The JSON schema, with a final newline: the text of the published file.
    fn schema_text() -> String {
        let mut schema = schemars::schema_for!(Self);
        schema.insert("title".into(), Self::TITLE.into());
        format!("{:#}\n", schema.to_value())
    }
}
