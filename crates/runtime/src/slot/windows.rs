//! A folder that all users of a machine write to, and files in it that all of them can lock.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr;
use windows_sys::Win32::Foundation::{ERROR_ALREADY_EXISTS, LocalFree};
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::SECURITY_ATTRIBUTES;
use windows_sys::Win32::Storage::FileSystem::{
    CreateDirectoryW, FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_OPEN_REPARSE_POINT,
};

/// For the folder and what is made in it: users that have logged in read and write, the system and administrators may all.
const FOR_ALL: &str = "D:(A;OICI;0x1201bf;;;AU)(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";

/// The folder of the slots.
#[derive(Debug)]
pub struct Folder(PathBuf);

pub fn folder_of_the_machine() -> PathBuf {
    let data = std::env::var_os("ProgramData").unwrap_or_else(|| r"C:\ProgramData".into());
    PathBuf::from(data).join("gpulint").join("slots")
}

pub fn host() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

pub fn user() -> String {
    std::env::var("USERNAME").unwrap_or_else(|_| "an unnamed user".to_owned())
}

impl Folder {
    /// Makes it where it is missing.
    pub fn open(path: &Path) -> io::Result<Folder> {
        if !path.is_dir() {
            if let Some(base) = path.parent().filter(|base| !base.as_os_str().is_empty()) {
                std::fs::create_dir_all(base)?;
            }
            make_for_all(path)?;
        }
        Ok(Folder(path.to_owned()))
    }

    /// The file of this name, empty if it was missing.
    pub fn file(&self, name: &str) -> io::Result<File> {
        plain(name, self.options().create(true).open(self.0.join(name))?)
    }

    pub fn existing(&self, name: &str) -> io::Result<Option<File>> {
        match self.options().open(self.0.join(name)) {
            Ok(file) => plain(name, file).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the name still leads to this file. Nobody can remove a file here that another has open without having
    /// said that it may be.
    pub fn holds(&self, _name: &str, _file: &File) -> io::Result<bool> {
        Ok(true)
    }

    fn options(&self) -> OpenOptions {
        const READ_AND_WRITE: u32 = 0x1 | 0x2;
        let mut options = OpenOptions::new();
        options.read(true).write(true).share_mode(READ_AND_WRITE).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
        options
    }
}

/// Refuses links, through which another user could have us write elsewhere.
fn plain(name: &str, file: File) -> io::Result<File> {
    let attributes = file.metadata()?.file_attributes();
    match attributes & (FILE_ATTRIBUTE_REPARSE_POINT | FILE_ATTRIBUTE_DIRECTORY) {
        0 => Ok(file),
        _ => Err(io::Error::other(format!("{name} there is no plain file"))),
    }
}

fn make_for_all(path: &Path) -> io::Result<()> {
    let wide = |text: &std::ffi::OsStr| text.encode_wide().chain([0]).collect::<Vec<u16>>();
    let (rights, path) = (wide(FOR_ALL.as_ref()), wide(path.as_os_str()));
    let mut descriptor = ptr::null_mut();
    // SAFETY: the text ends with a zero, and the descriptor is written only when the call succeeds.
    let converted = unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            rights.as_ptr(),
            SDDL_REVISION_1,
            &mut descriptor,
            ptr::null_mut(),
        )
    };
    if converted == 0 {
        return Err(io::Error::last_os_error());
    }
    let attributes = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        lpSecurityDescriptor: descriptor,
        bInheritHandle: 0,
    };
    // SAFETY: path and descriptor live until the call returns.
    let made = unsafe { CreateDirectoryW(path.as_ptr(), &attributes) };
    let error = io::Error::last_os_error();
    // SAFETY: the descriptor came from the conversion above, which says to free it so.
    unsafe { LocalFree(descriptor) };
    // Somebody may have been quicker.
    if made != 0 || error.raw_os_error() == Some(ERROR_ALREADY_EXISTS as i32) { Ok(()) } else { Err(error) }
}
