//! Devices in the form that a call takes.

use crate::code::{Argument, Call, Expr, ExprKind};
use crate::facts::Span;
use crate::findings::Edit;
use crate::fixes::Refusal;
use crate::fixes::imports::import_beside;
use crate::fixes::literals::inside_quotes;
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::Surroundings;
use crate::languages::TreeKind;
use crate::program::Names;

const BY_MASK: &str = "which GPU it takes is chosen by CUDA_VISIBLE_DEVICES, before it starts";

/// What the call takes, in the place of what it is given.
pub fn in_its_form(site: &Site<'_>) -> Result<Draft, Refusal> {
    let names = Names::of(site.program, site.file());
    let around = Surroundings::of(site.code(), site.span());
    let (call, at) = around.call(site.span()).ok_or("it does not stand in the call itself")?;
    let argument = &call.arguments[at];
    if argument.value.span != site.span() {
        return Err("it does not stand in the call itself".to_owned());
    }
    let whole = around
        .exprs
        .iter()
        .find(|expr| matches!(&expr.kind, ExprKind::Call(one) if std::ptr::eq(&**one, call)));
    let whole = whole.ok_or("the call is not understood")?.span;
    let form = Form { site, call, at, argument, whole, path: names.path(&call.callee).unwrap_or_default() };
    form.edits(&names).map(Draft::from)
}

struct Form<'f, 'a> {
    site: &'f Site<'a>,
    call: &'f Call<'a>,
    /// The number of the argument.
    at: usize,
    argument: &'f Argument<'a>,
    /// The call as a whole.
    whole: Span,
    path: &'f str,
}

impl Form<'_, '_> {
    fn edits(&self, names: &Names<'_, '_>) -> Result<Vec<Edit>, Refusal> {
        let library = self.path.split('.').next().unwrap_or_default();
        match (library, self.argument.name) {
            ("vllm" | "transformers", _) => Err(BY_MASK.to_owned()),
            ("jax", _) => self.picked(),
            ("ctranslate2" | "faster_whisper" | "whisperx", _) => self.apart("cuda", "device_index"),
            ("lightgbm", _) => self.apart("gpu", "gpu_device_id"),
            (_, Some("gpus")) => self.counted(),
            (_, Some("gpu_id")) => self.joined(),
            ("cupy", _) => self.number(),
            ("pyannote", _) => self.made(),
            (_, Some("devices" | "device_ids")) => self.listed(),
            _ if self.path.ends_with("DataParallel") => self.listed(),
            _ if self.path.ends_with("autocast") => self.kind(names),
            ("torch", _) if self.path == "torch.cuda.set_device" => {
                Err("on the CPU the call has to go".to_owned())
            }
            ("torch", _) => Err("a negative index may mean the CPU or the last GPU".to_owned()),
            _ => Err("the call is not known".to_owned()),
        }
    }

    /// `device="cuda:1"` → `device="cuda", device_index=1`
    fn apart(&self, kind: &str, keyword: &str) -> Result<Vec<Edit>, Refusal> {
        let (text, index) = self.index()?;
        let is_positional = |one: &&Argument<'_>| one.name.is_none() && !one.unpacked;
        let positional = self.call.arguments.iter().filter(is_positional).count();
        // faster-whisper takes the index third.
        let given = self.call.arguments.iter().any(|one| one.name == Some(keyword));
        if given || (self.path == "faster_whisper.WhisperModel" && positional > 2) {
            return Err(format!("`{keyword}` is given already"));
        }
        if self.call.arguments.iter().any(|one| one.unpacked) {
            return Err(format!("what is unpacked may hold `{keyword}`"));
        }
        let mut edits = vec![self.site.edit(self.argument.value.span, text.replace("cuda", kind))];
        // The first GPU is what it takes anyway.
        if index != "0" {
            let is_last = self.argument.name.is_some() || self.at + 1 >= positional;
            let behind =
                if is_last { self.argument } else { &self.call.arguments[self.call.arguments.len() - 1] };
            edits.push(self.site.insertion(behind.value.span.end, format!(", {keyword}={index}")));
        }
        Ok(edits)
    }

    /// `jax.devices("gpu:1")` → `jax.devices("gpu")[1]`
    fn picked(&self) -> Result<Vec<Edit>, Refusal> {
        let (text, index) = self.index()?;
        let place = self.argument.value.span;
        let before = self.site.slice(Span { start: self.whole.start, end: place.start });
        let after = self.site.slice(Span { start: place.end, end: self.whole.end });
        let tree = self.site.tree()?;
        let call =
            tree.exactly(self.whole, |kind| kind == TreeKind::Call).ok_or("the call is not understood")?;
        let parent = tree.node(call).parent.map(|parent| *tree.node(parent));
        let subscript = parent
            .filter(|parent| parent.kind == TreeKind::Subscript && parent.span.start == self.whole.start);
        let replaced = subscript.map_or(self.whole, |subscript| subscript.span);
        let new = format!("{before}{}{after}[{index}]", text.replace("cuda", "gpu"));
        Ok(vec![self.site.edit(replaced, new)])
    }

    /// `gpus=1` → `accelerator="gpu", devices=1`
    fn counted(&self) -> Result<Vec<Edit>, Refusal> {
        let has = |name: &str| self.call.arguments.iter().find(|one| one.name == Some(name));
        if has("devices").is_some() {
            return Err("`devices` is given already".to_owned());
        }
        if self.call.arguments.iter().any(|one| one.unpacked) {
            return Err("what is unpacked may hold `devices`".to_owned());
        }
        let value = self.site.slice(self.argument.value.span);
        let is_gpu = |one: &Expr<'_>| matches!(&one.kind, ExprKind::Text(text) if matches!(&**text, "gpu" | "cuda" | "auto"));
        let new = match (&self.argument.value.kind, has("accelerator")) {
            (ExprKind::None, _) => return Err("`gpus=None` says nothing about a device".to_owned()),
            (ExprKind::Int(0), None) => "accelerator=\"cpu\"".to_owned(),
            (_, None) => format!("accelerator=\"gpu\", devices={value}"),
            (_, Some(given)) if is_gpu(&given.value) => format!("devices={value}"),
            _ => return Err("`accelerator` is given already".to_owned()),
        };
        self.keyword(new)
    }

    /// `gpu_id=1` → `device="cuda:1"`
    fn joined(&self) -> Result<Vec<Edit>, Refusal> {
        if self.call.arguments.iter().any(|one| one.name == Some("device") || one.unpacked) {
            return Err("`device` is given already".to_owned());
        }
        let value = self.site.slice(self.argument.value.span);
        let new = match &self.argument.value.kind {
            ExprKind::Int(_) => format!("device=\"cuda:{value}\""),
            ExprKind::Name(_) | ExprKind::Attribute(..) => format!("device=f\"cuda:{{{value}}}\""),
            _ => return Err("the index is computed".to_owned()),
        };
        self.keyword(new)
    }

    /// The whole of `name=value`, replaced.
    fn keyword(&self, new: String) -> Result<Vec<Edit>, Refusal> {
        let tree = self.site.tree()?;
        let keyword = tree.innermost(self.argument.value.span, |kind| kind == TreeKind::Keyword);
        let keyword = keyword.ok_or("the argument is not understood")?;
        Ok(vec![self.site.edit(tree.node(keyword).span, new)])
    }

    /// `devices=gpu_id` → `devices=[gpu_id]`
    fn listed(&self) -> Result<Vec<Edit>, Refusal> {
        let place = self.argument.value.span;
        let value = self.site.slice(place);
        let by_lightning = ["lightning", "pytorch_lightning"].iter().any(|name| self.path.starts_with(name));
        if by_lightning && value.to_ascii_lowercase().contains("local_rank") {
            return Err("Lightning gives each of its processes the GPU of its rank itself".to_owned());
        }
        let index = match &self.argument.value.kind {
            ExprKind::Text(text) => text.to_string(),
            _ => value.to_owned(),
        };
        Ok(vec![self.site.edit(place, format!("[{index}]"))])
    }

    /// `cupy.cuda.Device("cuda:1")` → `cupy.cuda.Device(1)`
    fn number(&self) -> Result<Vec<Edit>, Refusal> {
        let (_, index) = self.index()?;
        Ok(vec![self.site.edit(self.argument.value.span, index)])
    }

    /// `pipeline.to("cuda")` → `pipeline.to(torch.device("cuda"))`
    fn made(&self) -> Result<Vec<Edit>, Refusal> {
        let place = self.argument.value.span;
        let device = format!("torch.device({})", self.site.slice(place));
        let mut edits = vec![self.site.edit(place, device)];
        edits.extend(import_beside(self.site, self.site.tree()?, "torch", "pyannote")?);
        Ok(edits)
    }

    /// `torch.autocast(device)` → `torch.autocast(device.type)`
    fn kind(&self, names: &Names<'_, '_>) -> Result<Vec<Edit>, Refusal> {
        let value = &self.argument.value;
        let is_plain = matches!(value.kind, ExprKind::Name(_) | ExprKind::Attribute(..) | ExprKind::Call(_));
        match is_plain && names.path(value) == Some("torch.device()") {
            true => Ok(vec![self.site.edit(value.span, format!("{}.type", self.site.slice(value.span)))]),
            false => Err("what is handed on is not understood".to_owned()),
        }
    }

    /// The literal with the kind alone, and the index that it had.
    fn index(&self) -> Result<(String, String), Refusal> {
        let written = self.site.slice(self.argument.value.span);
        let elsewhere = "the device is not written in the call";
        if let Some((before, inner, after)) = inside_quotes(written)
            && !before.is_empty()
        {
            let (_, index) = inner.split_once(':').ok_or(elsewhere)?;
            let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
            return match is_index {
                true => Ok((format!("{before}cuda{after}"), index.to_owned())),
                false => Err("the index is not a number".to_owned()),
            };
        }
        // `f"cuda:{index}"`
        let quoted = written.strip_prefix(['f', 'F']).and_then(inside_quotes).ok_or(elsewhere)?;
        let (before, inner, after) = quoted;
        let index = inner.strip_prefix("cuda:{").or(inner.strip_prefix("gpu:{"));
        let index = index.and_then(|rest| rest.strip_suffix('}')).ok_or(elsewhere)?;
        match before.is_empty() || index.contains(['{', '}', ':', '!', '=']) {
            true => Err("the index is put together".to_owned()),
            false => Ok((format!("{before}cuda{after}"), index.trim().to_owned())),
        }
    }
}
