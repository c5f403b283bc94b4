//! Slots within one process; many processes are in `tests/slot.rs`.

use super::*;
use std::ffi::OsString;

const CARD: &str = "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6";

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = std::env::temp_dir().join(format!("gpulint-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        Scratch(folder)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn try_once(folder: &Path, uuid: &str, card: CardUse) -> Result<Slot, SlotError> {
    let command = ["python", "train\u{1b}[31m.py"].map(OsString::from);
    let wait = SlotWait { timeout: Some(Duration::ZERO), card: &mut || card.clone(), progress: &mut |_| {} };
    take(folder, uuid, &Holder::of_this_process(&command), wait)
}

#[test]
fn one_at_a_time_until_it_is_dropped() {
    let scratch = Scratch::new("slot-one");
    let first = try_once(&scratch.0, CARD, CardUse::Free).unwrap();
    let error = try_once(&scratch.0, CARD, CardUse::Free).unwrap_err();
    let message = error.to_string();
    let held = format!("the GPU was held by pid {} (python train␛[31m.py) of ", std::process::id());
    assert!(message.starts_with(&held), "{message}");
    try_once(&scratch.0, "GPU-00000000-d72c-4106-c12f-20bd9faed9f6", CardUse::Free).unwrap();
    drop(first);
    let second = try_once(&scratch.0, CARD, CardUse::Free).unwrap();
    // The ticket of who gave up is not given out again.
    assert_eq!(second.ticket, 3);
}

#[test]
fn a_foreign_process_keeps_the_slot_free_for_nobody() {
    let scratch = Scratch::new("slot-foreign");
    let busy = try_once(&scratch.0, CARD, CardUse::Busy("pid 7 (blender)".to_owned())).unwrap_err();
    assert!(busy.to_string().starts_with("the GPU was in use by pid 7 (blender) when"), "{busy}");
    let refused = try_once(&scratch.0, CARD, CardUse::Refused("pid 7 (blender)".to_owned())).unwrap_err();
    assert_eq!(refused.to_string(), "the GPU is in use by pid 7 (blender)");
    try_once(&scratch.0, CARD, CardUse::Free).unwrap();
}

#[test]
fn a_holder_that_left_is_not_named() {
    let scratch = Scratch::new("slot-left");
    drop(try_once(&scratch.0, CARD, CardUse::Free).unwrap());
    let folder = Folder::open(&scratch.0).unwrap();
    let name = file_name(CARD).unwrap();
    assert_eq!(Holder::read(&folder.file(&format!("{name}.holder")).unwrap()), None);
}

#[test]
fn names_of_cards_and_slices() {
    assert_eq!(file_name("MIG-GPU-8932/1/0").as_deref(), Some("mig-gpu-8932-1-0"));
    assert_eq!(file_name("../../.."), None);
    assert_eq!(file_name(""), None);
    assert!(try_once(Path::new("unused"), "/", CardUse::Free).unwrap_err().to_string().contains("`/`"));
}

#[cfg(unix)]
#[test]
fn links_and_pipes_of_others_are_refused() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    let scratch = Scratch::new("slot-links");
    drop(try_once(&scratch.0, CARD, CardUse::Free).unwrap());
    assert_eq!(scratch.0.metadata().unwrap().mode() & 0o7777, 0o1777);
    let mut files = 0;
    for file in std::fs::read_dir(&scratch.0).unwrap() {
        files += 1;
        let file = file.unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o7777, 0o666, "{:?}", file.path());
    }
    assert_eq!(files, 5);

    let precious = scratch.0.join("precious");
    std::fs::write(&precious, "mine").unwrap();
    let holder = scratch.0.join(format!("{}.holder", file_name(CARD).unwrap()));
    let links: [fn(&Path, &Path) -> io::Result<()>; 2] =
        [|to, at| symlink(to, at), |to, at| std::fs::hard_link(to, at)];
    for link in links {
        std::fs::remove_file(&holder).unwrap();
        link(&precious, &holder).unwrap();
        let error = try_once(&scratch.0, CARD, CardUse::Free).unwrap_err().to_string();
        assert!(error.contains("no plain file"), "{error}");
        assert_eq!(std::fs::read_to_string(&precious).unwrap(), "mine");
    }
    std::fs::remove_file(&holder).unwrap();
    std::fs::create_dir(&holder).unwrap();
    assert!(try_once(&scratch.0, CARD, CardUse::Free).is_err());
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_is_named() {
    let scratch = Scratch::new("slot-file");
    std::fs::write(&scratch.0, "").unwrap();
    let error = try_once(&scratch.0, CARD, CardUse::Free).unwrap_err().to_string();
    assert!(error.starts_with(&format!("the slot cannot be kept in {}", scratch.0.display())), "{error}");
    std::fs::remove_file(&scratch.0).unwrap();
}
