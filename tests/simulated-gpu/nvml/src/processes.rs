//! Which processes are on a card, and what each holds of it, or held.

use crate::codes::*;
use crate::entry::{Handle, card, exported, put, put_list, slice};
use simulated_gpu_host::{Card, Fault, Model, Process};
use std::ffi::{c_uint, c_ulonglong};

/// `nvmlProcessInfo_v2_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ProcessInfo {
    pid: c_uint,
    used: c_ulonglong,
    gpu_instance: c_uint,
    compute_instance: c_uint,
}

/// `nvmlProcessUtilizationSample_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Sample {
    pid: c_uint,
    time: c_ulonglong,
    kernels: c_uint,
    memory: c_uint,
    encoder: c_uint,
    decoder: c_uint,
}

/// `nvmlAccountingStats_t`.
#[repr(C)]
pub struct Accounted {
    gpu: c_uint,
    memory: c_uint,
    most_memory: c_ulonglong,
    milliseconds: c_ulonglong,
    start: c_ulonglong,
    is_running: c_uint,
    reserved: [c_uint; 5],
}

/// No instance, and no number of bytes that is known.
const NONE: c_uint = c_uint::MAX;
const UNKNOWN_BYTES: c_ulonglong = c_ulonglong::MAX;

/// The processes of a card with those of its slices, or of one slice.
fn listed(model: &'static Model, handle: Handle) -> Result<Vec<ProcessInfo>, Code> {
    let card = card(model, handle)?;
    let info = |process: Process, gpu_instance, compute_instance| {
        let is_hidden = model.has(|fault| matches!(fault, Fault::NoProcessMemory));
        let used = if is_hidden { UNKNOWN_BYTES } else { process.usage.bytes };
        ProcessInfo { pid: model.reported_pid(process.pid), used, gpu_instance, compute_instance }
    };
    let only = slice(model, handle)?;
    let slices = card.mig.iter().filter(|slice| only.is_none_or(|only| only == *slice));
    let mut list = Vec::new();
    for slice in slices {
        let processes = model.processes(&slice.uuid).into_iter();
        list.extend(processes.map(|process| info(process, slice.gpu_instance, slice.compute_instance)));
    }
    if only.is_none() {
        list.extend(model.processes(&card.uuid).into_iter().map(|process| info(process, NONE, NONE)));
    }
    Ok(list)
}

fn accounted(model: &Model, card: &Card) -> Result<Vec<Process>, Code> {
    if card.accounting { Ok(model.accounts.processes(&card.uuid)) } else { Err(NOT_SUPPORTED) }
}

exported! {
    fn nvmlDeviceGetComputeRunningProcesses_v3(handle: Handle, count: *mut c_uint, list: *mut ProcessInfo) |model| {
        put_list(count, list, &listed(model, handle)?)
    }

    fn nvmlDeviceGetGraphicsRunningProcesses_v3(handle: Handle, count: *mut c_uint, list: *mut ProcessInfo) |model| {
        card(model, handle)?;
        put_list(count, list, &[])
    }

    fn nvmlDeviceGetMPSComputeRunningProcesses_v3(handle: Handle, count: *mut c_uint, list: *mut ProcessInfo) |model| {
        card(model, handle)?;
        put_list(count, list, &[])
    }

    fn nvmlDeviceGetProcessUtilization(
        handle: Handle,
        list: *mut Sample,
        count: *mut c_uint,
        last_seen: c_ulonglong,
    ) |model| {
        let card = card(model, handle)?;
        let (kernels, memory) = card.utilisation;
        let mut samples = Vec::new();
        // The driver remembers those that ended, too.
        for process in model.accounts.processes(&card.uuid).into_iter().chain(model.processes(&card.uuid)) {
            let pid = model.reported_pid(process.pid);
            let time = model.accounts.last_change(&card.uuid, process.pid).unwrap_or(last_seen + 1);
            if time > last_seen && samples.iter().all(|sample: &Sample| sample.pid != pid) {
                samples.push(Sample { pid, time, kernels, memory, encoder: 0, decoder: 0 });
            }
        }
        if samples.is_empty() || (kernels, memory) == (0, 0) {
            return Err(NOT_FOUND);
        }
        put_list(count, list, &samples)
    }

    fn nvmlDeviceGetAccountingMode(handle: Handle, on: *mut c_uint) |model| {
        put(on, c_uint::from(card(model, handle)?.accounting))
    }

    fn nvmlDeviceGetAccountingBufferSize(handle: Handle, size: *mut c_uint) |model| {
        card(model, handle)?;
        put(size, 4000)
    }

    fn nvmlDeviceGetAccountingPids(handle: Handle, count: *mut c_uint, list: *mut c_uint) |model| {
        let processes = accounted(model, card(model, handle)?)?;
        let pids: Vec<c_uint> = processes.iter().map(|process| model.reported_pid(process.pid)).collect();
        put_list(count, list, &pids)
    }

    fn nvmlDeviceGetAccountingStats(handle: Handle, pid: c_uint, statistics: *mut Accounted) |model| {
        let processes = accounted(model, card(model, handle)?)?;
        let mut wanted = processes.iter().filter(|process| model.reported_pid(process.pid) == pid);
        let process = wanted.next().ok_or(NOT_FOUND)?;
        put(statistics, Accounted {
            gpu: 0,
            memory: 0,
            most_memory: process.usage.peak,
            milliseconds: 0,
            start: process.started,
            is_running: c_uint::from(process.usage.contexts > 0 && process.lives()),
            reserved: [0; 5],
        })
    }
}
