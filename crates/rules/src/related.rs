//! The places that explain a finding, beside the one that it points at.

use super::evaluate::Scope;
use super::schema::RelatedPlace;
use super::wording::Words;
use crate::facts::Place;
use crate::findings::{Related, RelativeTime};
use crate::program::Definition;
use crate::program::trace::{Event, EventId, EventKind};

impl Scope<'_> {
    /// Adds the places of one kind. The finding points at what happens last of them, or at `start`, which leads on.
    pub(super) fn relate(
        &self,
        wanted: RelatedPlace,
        id: EventId,
        pointed: &Event,
        start: Option<Place>,
        words: &Words<'_>,
        related: &mut Vec<Related>,
    ) {
        let shown = |event: &&Event| related.iter().any(|known: &Related| known.place == event.place);
        let earlier: Vec<&Event> =
            [words.cuda, words.library, Some(pointed)].into_iter().flatten().filter(shown).collect();
        let mut add = |place: Place, message: String, moment: RelativeTime| {
            let is_text = place.span.end > place.span.start;
            if is_text && !related.iter().any(|known| known.place == place) {
                related.push(Related { place, message, moment });
            }
        };
        match wanted {
            // The end of what a file sets stands nowhere.
            RelatedPlace::Event if matches!(words.event.what, EventKind::End) => {}
            RelatedPlace::Event => add(words.event.place, words.of_use(words.event), RelativeTime::After),
            RelatedPlace::CudaInit | RelatedPlace::GpuImport => {
                let earlier = if wanted == RelatedPlace::CudaInit { words.cuda } else { words.library };
                if let Some(earlier) = earlier {
                    add(earlier.place, words.of_event(earlier), RelativeTime::Before);
                }
            }
            RelatedPlace::Definition => {
                if pointed.place != words.event.place {
                    add(pointed.place, words.of_event(pointed), RelativeTime::Before);
                }
            }
            RelatedPlace::Mask => {
                for definition in &words.event.before.mask {
                    let Definition::Set(write, Some(value)) = definition else { continue };
                    if let Some(write) = self.trace.events.get(*write as usize) {
                        add(write.place, format!("the mask is set to `{value}` here"), RelativeTime::Before);
                    }
                }
                if let Some(site) = self.trace.frames.first().and_then(|frame| frame.site) {
                    add(site, "the program is started with it here".to_owned(), RelativeTime::Before);
                }
            }
            RelatedPlace::Late => {
                if let Some(late) = words.event.before.late.last() {
                    add(late.place, format!("`{}` reads it here", late.by), RelativeTime::Before);
                }
            }
            RelatedPlace::Release => {
                let test = self.test_name(words.event);
                let mut releases = self.later_releases(id).filter(|release| {
                    release.assured.is_none() && !self.trace.excludes(words.event, release)
                });
                if let Some(release) = releases.find(|release| self.test_name(release) == test) {
                    add(release.place, words.of_event(release), RelativeTime::After);
                }
            }
            RelatedPlace::Chain => {
                let mut hops: Vec<_> = self.trace.outwards(pointed.frame).collect();
                hops.reverse();
                let leads_to = |event: &&Event, frame| {
                    self.trace.outwards(event.frame).any(|around| std::ptr::eq(around, frame))
                };
                let mut behind = false;
                for frame in hops {
                    // The frames that nothing entered are where programs start.
                    let Some(site) = frame.site.filter(|site| site.span.end > site.span.start) else {
                        continue;
                    };
                    behind |= start
                        .is_some_and(|start| start.file == site.file && start.span.start < site.span.end);
                    let moment = match behind {
                        true => RelativeTime::After,
                        false if earlier.iter().any(|event| leads_to(event, frame)) => RelativeTime::First,
                        false => RelativeTime::Before,
                    };
                    let message = match &frame.function {
                        Some(function) => format!("calls `{function}`"),
                        None if frame.parent.is_none() => "starts this program".to_owned(),
                        None if self.program.is_launcher(frame.file) => {
                            format!("runs `{}`", self.program.name_of(frame.file))
                        }
                        None => format!("imports `{}`", self.program.dotted(frame.file)),
                    };
                    add(site, message, moment);
                }
            }
        }
    }
}
