//! Another GPU for code that names one: that which the policy allows, or one that the mask leaves.

mod literals;
mod purposes;
mod shared;

use crate::code::walk::{CodeNode, walk};
use crate::code::{Call, Expr, ExprKind};
use crate::facts::Span;
use crate::findings::Safety;
use crate::fixes::Refusal;
use crate::fixes::site::{Draft, Site};
use crate::fixes::surroundings::Surroundings;
use crate::masks;
use crate::program::Names;
use literals::Literal;
use purposes::{Purpose, purpose_of};

/// Takes the device that the policy allows.
pub fn allowed(site: &Site<'_>) -> Result<Draft, Refusal> {
    let found = Found::by(site)?;
    let (device, index) = allowed_device(site, found.literal.index)?;
    let left = site.finding.mask.as_ref().map(|mask| masks::read(mask).left as i64);
    if left.is_some_and(|left| left > 0 && index >= left) {
        return Err(format!("the policy's `{device}` is not among the GPUs that the mask leaves"));
    }
    let safe = found.is_direct && left == Some(1);
    found.draft(site, &device, index, if safe { Safety::Safe } else { Safety::Unsafe })
}

/// Takes a device that the mask leaves: that which the policy allows, or where the card stands in the mask.
pub fn inside_mask(site: &Site<'_>) -> Result<Draft, Refusal> {
    let found = Found::by(site)?;
    let (device, allowed) = allowed_device(site, found.literal.index)?;
    let mask = site.finding.mask.as_deref();
    let left = mask.map(|mask| masks::read(mask).left as i64);
    if left == Some(0) {
        return Err("the mask leaves no GPU at all".to_owned());
    }
    // Of a mask that is not known, what is beyond it is.
    let below = left.unwrap_or(found.literal.index);
    if site.policy.gpu.is_some() {
        return match allowed < below {
            true => found.draft(site, &device, allowed, Safety::Safe),
            false => Err(format!("the policy's `{device}` is not among the GPUs that the mask leaves")),
        };
    }
    let index = match mask.and_then(|mask| position_in(mask, found.literal.index)) {
        Some(position) if position < below => position,
        _ if below == 1 => 0,
        _ => return Err("nothing says which of the GPUs that the mask leaves is meant".to_owned()),
    };
    found.draft(site, &format!("cuda:{index}"), index, Safety::Safe)
}

/// The literal that chooses the device of a finding.
struct Found {
    place: Span,
    literal: Literal,
    /// It goes to what takes the device and to nothing else.
    is_direct: bool,
    /// The name under which it also chooses the mask of the file.
    shared: Option<String>,
}

impl Found {
    fn by(site: &Site<'_>) -> Result<Found, Refusal> {
        let place = site.span();
        let names = Names::of(site.program, site.file());
        if let Some(literal) = Literal::read(site.slice(place))? {
            return Found::at(site, &names, place, literal);
        }
        let around = Surroundings::of(site.code(), place);
        let expr = around.exactly(place).ok_or("the index is not written here")?;
        if let ExprKind::Text(text) = &expr.kind
            && site.is_python_file()
            && let Some(literal) = Literal::joined(text, site.slice(place))
        {
            return Found::at(site, &names, place, literal);
        }
        let (inner, literal) = only_index_in(expr, site, &names)?;
        match inner.start >= place.start && inner.end <= place.end {
            true => Ok(Found { place: inner, literal, is_direct: true, shared: None }),
            false => Found::at(site, &names, inner, literal),
        }
    }

    fn at(site: &Site<'_>, names: &Names<'_, '_>, place: Span, literal: Literal) -> Result<Found, Refusal> {
        let is_direct = match (purpose_of(site, names, place, literal.is_number)?, literal.is_number) {
            (Purpose::Device, _) => true,
            (Purpose::Named(name), _) => {
                if let Some(file) = purposes::mask_made_of(site, &name) {
                    if file != site.source().name || !site.is_python_file() {
                        return Err(format!("`{name}` also chooses the mask, in {file}"));
                    }
                    return Ok(Found { place, is_direct: false, literal, shared: Some(name) });
                }
                if literal.is_number && purposes::is_asked(site.code(), &name) {
                    return Err(format!("`{name}` is asked whether it is true, and 0 is not"));
                }
                false
            }
            (Purpose::Unknown(_), false) => true,
            (Purpose::Unknown(reason), true) => return Err(reason),
        };
        // A text that names a device is nothing else.
        Ok(Found { place, is_direct: is_direct || !literal.is_number, literal, shared: None })
    }

    fn draft(&self, site: &Site<'_>, device: &str, index: i64, safety: Safety) -> Result<Draft, Refusal> {
        let new = self.literal.with(device, index);
        let title = match self.literal.is_cuda {
            true => format!("take `{device}`"),
            false => format!("take GPU {index}"),
        };
        let edits = match &self.shared {
            Some(name) => shared::edits(site, name, index)?,
            None => vec![site.edit(self.place, new)],
        };
        Ok(Draft { edits, safety: Some(safety), title: Some(title) })
    }
}

/// The only index or device that is written inside of an expression, or where a name in it is assigned.
fn only_index_in(
    expr: &Expr<'_>,
    site: &Site<'_>,
    names: &Names<'_, '_>,
) -> Result<(Span, Literal), Refusal> {
    let mut found: Vec<Span> = Vec::new();
    let mut is_computed = false;
    let mut callees: Vec<Span> = Vec::new();
    walk(site.code(), &mut |part, _| {
        let CodeNode::Expr(inner) = part else { return };
        if inner.span.start < expr.span.start || expr.span.end < inner.span.end {
            return;
        }
        let is_callee = |span: Span| callees.iter().any(|one| one.start <= span.start && span.end <= one.end);
        match &inner.kind {
            ExprKind::Call(call) => {
                callees.push(call.callee.span);
                is_computed |= !hands_on(call, names);
            }
            ExprKind::Binary(..) => {
                is_computed |= !site.slice(inner.span).to_ascii_lowercase().contains("cuda:")
            }
            ExprKind::Int(_) => found.push(inner.span),
            ExprKind::Text(_) if matches!(Literal::read(site.slice(inner.span)), Ok(Some(_))) => {
                found.push(inner.span);
            }
            ExprKind::Name(_) if !is_callee(inner.span) => {
                let meant = names.meant(inner);
                match &meant.kind {
                    ExprKind::Int(_) => found.push(meant.span),
                    ExprKind::Text(_) if !is_callee(meant.span) => found.push(meant.span),
                    _ => is_computed = true,
                }
            }
            _ => {}
        }
    });
    found.sort();
    found.dedup();
    match found[..] {
        [span] if !is_computed => {
            let literal = Literal::read(site.slice(span))?.ok_or("the index is not written here")?;
            Ok((span, literal))
        }
        _ => Err("the index is computed".to_owned()),
    }
}

/// Whether what a call returns is its argument, or a text or device with it.
fn hands_on(call: &Call<'_>, names: &Names<'_, '_>) -> bool {
    let last = match &call.callee.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name) => *name,
        _ => "",
    };
    matches!(last, "format" | "get" | "getenv" | "int" | "pop" | "setdefault" | "str")
        || names.path(&call.callee) == Some("torch.device")
}

/// The device that code may take where it names another, and its index.
fn allowed_device(site: &Site<'_>, named: i64) -> Result<(String, i64), Refusal> {
    let Some(gpu) = &site.policy.gpu else { return Ok(("cuda:0".to_owned(), 0)) };
    if gpu.allows_each_of_set() {
        // A number of the machine stands for a place in the set.
        let places = gpu.accepted_masks().iter().find_map(|mask| position_in(mask, named));
        let index = places.ok_or("nothing says which card of the policy's set is meant")?;
        return Ok((format!("cuda:{index}"), index));
    }
    let device = gpu.first_device();
    let index = gpu.allowed_device_index().ok_or_else(|| format!("the policy allows `{device}` only"))?;
    Ok((device.to_owned(), index))
}

/// Where the card with this index of the machine stands in a mask.
fn position_in(mask: &str, index: i64) -> Option<i64> {
    let position = mask.split(',').position(|part| part.trim().parse() == Ok(index))?;
    Some(position as i64)
}
