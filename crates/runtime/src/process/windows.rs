//! A command in a job of its own: whatever it starts is in the job too, and ends with it, also when this process is killed.
//!
//! Ctrl-C reaches the command from the console, as all that share it, so this process only sees to it that it does not end
//! of that itself. There is no request to end that other processes could be sent without knowing of them, so what is to
//! end is ended at once.

use super::{Event, Exit, Process, Urgency};
use std::collections::HashMap;
use std::ffi::c_void;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;
use windows_sys::Win32::Foundation::{HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
    TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
    JobObjectBasicAccountingInformation, JobObjectBasicProcessIdList, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_SUSPENDED, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};
use windows_sys::core::BOOL;

/// So many processes of one command are named.
const MOST_PROCESSES: usize = 1024;

pub fn set_apart(_command: &mut Command) {}

/// There is no request to end, see above; what it runs is in a job of its own, which ends with it.
pub fn ask_to_end(child: &mut Child) {
    let _ = child.kill();
}

/// Starts the command in the job, before it can start anything itself.
pub fn started_in(job: &Family, command: &mut Command) -> io::Result<Child> {
    let mut child = command.creation_flags(CREATE_SUSPENDED).spawn()?;
    match job.add(&child).and_then(|()| resume(child.id())) {
        Ok(()) => Ok(child),
        Err(error) => {
            let _ = child.kill();
            Err(error)
        }
    }
}

/// The command, and all that is in its job.
pub struct Tree {
    pid: u32,
    family: Arc<Family>,
    ended: Arc<Mutex<Option<i32>>>,
}

/// The job.
pub struct Family(OwnedHandle);

impl Tree {
    pub fn start(command: &mut Command, events: &Sender<Event>) -> io::Result<Tree> {
        stay_at_ctrl_c()?;
        let job = Family::new()?;
        let mut child = started_in(&job, command)?;
        let pid = child.id();
        let ended = Arc::new(Mutex::new(None));
        let (noticed, events) = (Arc::clone(&ended), events.clone());
        let wait = move || {
            let code = child.wait().ok().and_then(|status| status.code()).unwrap_or(1);
            if let Ok(mut noticed) = noticed.lock() {
                *noticed = Some(code);
            }
            let _ = events.send(Event::Child);
        };
        thread::Builder::new().name("command".to_owned()).spawn(wait)?;
        Ok(Tree { pid, family: Arc::new(job), ended })
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    pub fn family(&self) -> Arc<Family> {
        Arc::clone(&self.family)
    }

    pub fn exit(&mut self) -> Option<Exit> {
        let code = self.ended.lock().ok().and_then(|ended| *ended)?;
        Some(Exit { code, signal: None })
    }

    pub fn has_ended(&self) -> bool {
        self.ended.lock().is_ok_and(|ended| ended.is_some())
    }

    pub fn pass_on(&self, _signal: i32) {}

    pub fn end(&self, processes: &[Process], _urgency: Urgency) {
        if !processes.is_empty() {
            // SAFETY: the handle is open as long as the job is ours.
            unsafe { TerminateJobObject(self.family.handle(), 1) };
        }
    }

    pub fn bury(&self) {}

    pub fn cpu_time(&self) -> Option<Duration> {
        let mut used = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: what is asked for is what this structure holds, and its size is given.
        let told = unsafe {
            QueryInformationJobObject(
                self.family.handle(),
                JobObjectBasicAccountingInformation,
                ptr::from_mut(&mut used).cast(),
                size_of_val(&used) as u32,
                ptr::null_mut(),
            )
        };
        // In units of 100 nanoseconds.
        let time = used.TotalUserTime.saturating_add(used.TotalKernelTime);
        (told != 0).then(|| Duration::from_nanos(u64::try_from(time).unwrap_or(0).saturating_mul(100)))
    }
}

/// There are no signals.
pub fn asks_to_end(_signal: i32) -> bool {
    false
}

/// JOBOBJECT_BASIC_PROCESS_ID_LIST, whose list is as long as what follows it in memory.
#[repr(C)]
struct Numbers {
    in_the_job: u32,
    listed: u32,
    list: [usize; MOST_PROCESSES],
}

impl Family {
    pub fn new() -> io::Result<Family> {
        // SAFETY: without attributes and without a name; the handle is not inherited, so that no child keeps the job.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: it was just made, and nobody else has it.
        let job = Family(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: what is set is what this structure holds, and its size is given.
        let set = unsafe {
            SetInformationJobObject(
                job.handle(),
                JobObjectExtendedLimitInformation,
                ptr::from_ref(&limits).cast::<c_void>(),
                size_of_val(&limits) as u32,
            )
        };
        succeeded(set).map(|()| job)
    }

    pub fn members(&self) -> Vec<Process> {
        let mut numbers = Numbers { in_the_job: 0, listed: 0, list: [0; MOST_PROCESSES] };
        // SAFETY: the structure is laid out as the list that is asked for, with its size given. When there are more the
        // call fails and has listed as many as there is room for.
        unsafe {
            QueryInformationJobObject(
                self.handle(),
                JobObjectBasicProcessIdList,
                ptr::from_mut(&mut numbers).cast(),
                size_of_val(&numbers) as u32,
                ptr::null_mut(),
            )
        };
        let listed = numbers.list.iter().take(numbers.listed as usize);
        let mut names = None;
        let named = |number: &usize| {
            let pid = *number as u32;
            let names = names.get_or_insert_with(names_of_processes);
            Process { pid, name: names.get(&pid).cloned().unwrap_or_default(), started: 0 }
        };
        listed.map(named).collect()
    }

    fn add(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open.
        succeeded(unsafe { AssignProcessToJobObject(self.handle(), child.as_raw_handle()) })
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle()
    }
}

/// A process that was started suspended has one thread.
fn resume(pid: u32) -> io::Result<()> {
    let list = snapshot(TH32CS_SNAPTHREAD)?;
    let mut entry = THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    // SAFETY: the list is open, and the entry says how long it is.
    let mut more = unsafe { Thread32First(list.as_raw_handle(), &mut entry) };
    while more != 0 {
        if entry.th32OwnerProcessID == pid {
            // SAFETY: the number is that of a thread which cannot have ended, as it has not begun.
            let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) };
            if thread.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: it was just opened, and nobody else has it.
            let thread = unsafe { OwnedHandle::from_raw_handle(thread) };
            // SAFETY: the handle is open, with the right that this needs.
            return match unsafe { ResumeThread(thread.as_raw_handle()) } {
                u32::MAX => Err(io::Error::last_os_error()),
                _ => Ok(()),
            };
        }
        // SAFETY: as for the first.
        more = unsafe { Thread32Next(list.as_raw_handle(), &mut entry) };
    }
    Err(io::Error::other("its first thread was not found"))
}

fn names_of_processes() -> HashMap<u32, String> {
    let mut names = HashMap::new();
    let Ok(list) = snapshot(TH32CS_SNAPPROCESS) else { return names };
    let mut entry = PROCESSENTRY32W { dwSize: size_of::<PROCESSENTRY32W>() as u32, ..Default::default() };
    // SAFETY: the list is open, and the entry says how long it is.
    let mut more = unsafe { Process32FirstW(list.as_raw_handle(), &mut entry) };
    while more != 0 {
        let name = entry.szExeFile.split(|unit| *unit == 0).next().unwrap_or_default();
        names.insert(entry.th32ProcessID, String::from_utf16_lossy(name));
        // SAFETY: as for the first.
        more = unsafe { Process32NextW(list.as_raw_handle(), &mut entry) };
    }
    names
}

fn snapshot(of: u32) -> io::Result<OwnedHandle> {
    // SAFETY: it only makes a list, which the handle stands for.
    let list = unsafe { CreateToolhelp32Snapshot(of, 0) };
    if list == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it was just made, and nobody else has it.
    Ok(unsafe { OwnedHandle::from_raw_handle(list) })
}

/// When the console is closed this process may end, and the command with it.
fn stay_at_ctrl_c() -> io::Result<()> {
    unsafe extern "system" fn is_handled(event: u32) -> BOOL {
        BOOL::from(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT)
    }
    // SAFETY: the function does nothing but compare, on whichever thread it is called.
    succeeded(unsafe { SetConsoleCtrlHandler(Some(is_handled), 1) })
}

fn succeeded(result: BOOL) -> io::Result<()> {
    if result != 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
