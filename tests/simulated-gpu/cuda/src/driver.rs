//! The driver in one process: whether it was initialised, what it sees, and everything that was made with it.

use crate::codes::*;
use crate::context::Context;
use simulated_gpu_host::{Device, Fault, Kernel, Model, Selection, Usage, selection_of};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Instant;

/// What an opaque pointer stands for. Null is not one, except for streams.
pub type Handle = u64;

/// The streams that exist without being created: the default ones.
const DEFAULT_STREAMS: std::ops::RangeInclusive<Handle> = 0..=2;
const FIRST_PRIMARY: Handle = 0x1_0000;
const FIRST_POOL: Handle = 0x2_0000;
const FIRST_OBJECT: Handle = 0x10_0000;

pub struct Driver {
    pub model: &'static Model,
    /// In the order of their ordinals.
    pub devices: Vec<Device>,
    pub contexts: BTreeMap<Handle, Context>,
    objects: BTreeMap<Handle, Object>,
    initialised: Option<u32>,
    next: Handle,
    pub allocations: u64,
    pub launches: u64,
}

/// What belongs to a context and ends with it.
pub struct Object {
    pub context: Handle,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Stream,
    Event { recorded: Option<Instant> },
    Module { text: String },
    Function { module: Handle, kernel: Option<Kernel> },
}

thread_local! {
    static CURRENT: Cell<Handle> = const { Cell::new(0) };
}

impl Driver {
    pub fn new(model: &'static Model) -> Driver {
        Driver {
            model,
            devices: Vec::new(),
            contexts: BTreeMap::new(),
            objects: BTreeMap::new(),
            initialised: None,
            next: FIRST_OBJECT,
            allocations: 0,
            launches: 0,
        }
    }

    /// Reads the environment the first time that it succeeds; what is set later changes nothing.
    pub fn initialise(&mut self) -> Result<(), Code> {
        if self.is_initialised() {
            return Ok(());
        }
        // As the driver does before all else, whether there are cards or not.
        if let Some(folder) = std::env::var_os(simulated_gpu_host::DEVICES) {
            let _ = std::fs::File::open(std::path::Path::new(&folder).join("nvidiactl"));
        }
        for fault in &self.model.description.faults {
            match fault {
                Fault::NoDriver | Fault::NoPermission => return Err(NO_DEVICE),
                Fault::StubLibrary => return Err(STUB_LIBRARY),
                Fault::VersionMismatch => return Err(SYSTEM_DRIVER_MISMATCH),
                _ => {}
            }
        }
        let variable = |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let (visible, order) = (variable("CUDA_VISIBLE_DEVICES"), variable("CUDA_DEVICE_ORDER"));
        match selection_of(&self.model.description, visible.as_deref(), order.as_deref()) {
            Selection::Nothing => Err(NO_DEVICE),
            Selection::Repeated => Err(self.model.description.repeated_entry),
            Selection::Cards(selected) => {
                self.devices = selected.into_iter().filter_map(|card| self.model.device(card)).collect();
                self.initialised = Some(std::process::id());
                Ok(())
            }
        }
    }

    pub fn is_initialised(&self) -> bool {
        self.initialised.is_some()
    }

    /// Whether another process initialised it, of which this is a copy.
    pub fn is_forked(&self) -> bool {
        self.initialised.is_some_and(|pid| pid != std::process::id())
    }

    pub fn device(&self, ordinal: i32) -> Result<&Device, Code> {
        usize::try_from(ordinal).ok().and_then(|at| self.devices.get(at)).ok_or(INVALID_DEVICE)
    }

    /// That of the calling thread; 0 if there is none.
    pub fn current(&self) -> Handle {
        CURRENT.get()
    }

    pub fn set_current(&self, context: Handle) -> Result<(), Code> {
        if context != 0 && !self.contexts.contains_key(&context) {
            return Err(INVALID_CONTEXT);
        }
        CURRENT.set(context);
        Ok(())
    }

    /// The context of the calling thread, if its card is still there.
    pub fn context(&mut self) -> Result<&mut Context, Code> {
        self.context_of(self.current())
    }

    pub fn context_of(&mut self, handle: Handle) -> Result<&mut Context, Code> {
        let context = self.contexts.get_mut(&handle).ok_or(INVALID_CONTEXT)?;
        if self.model.is_lost(&context.device.card) { Err(LAUNCH_FAILED) } else { Ok(context) }
    }

    pub fn primary_of(ordinal: i32) -> Handle {
        FIRST_PRIMARY + 16 * u64::from(ordinal.unsigned_abs())
    }

    pub fn pool_of(ordinal: i32) -> Handle {
        FIRST_POOL + 16 * u64::from(ordinal.unsigned_abs())
    }

    /// The context whose pool it is: the primary one of a device, which need not have one.
    pub fn owner_of_pool(pool: Handle) -> Result<Handle, Code> {
        let in_range = (FIRST_POOL..FIRST_OBJECT).contains(&pool);
        if in_range { Ok(pool - FIRST_POOL + FIRST_PRIMARY) } else { Err(INVALID_HANDLE) }
    }

    /// A handle that was never given out.
    pub fn fresh(&mut self) -> Handle {
        self.next += 16;
        self.next
    }

    /// Makes something in the context of the calling thread.
    pub fn create(&mut self, kind: Kind) -> Result<Handle, Code> {
        self.context()?;
        let (handle, context) = (self.fresh(), self.current());
        self.objects.insert(handle, Object { context, kind });
        Ok(handle)
    }

    pub fn object(&mut self, handle: Handle) -> Result<&mut Object, Code> {
        self.objects.get_mut(&handle).ok_or(INVALID_HANDLE)
    }

    pub fn remove(&mut self, handle: Handle, is_such: impl Fn(&Kind) -> bool) -> Result<Object, Code> {
        if !self.objects.get(&handle).is_some_and(|object| is_such(&object.kind)) {
            return Err(INVALID_HANDLE);
        }
        self.objects.remove(&handle).ok_or(INVALID_HANDLE)
    }

    /// The context that a stream belongs to.
    pub fn context_of_stream(&mut self, stream: Handle) -> Result<&mut Context, Code> {
        if DEFAULT_STREAMS.contains(&stream) {
            return self.context();
        }
        let context = match self.object(stream)? {
            Object { context, kind: Kind::Stream } => *context,
            _ => return Err(INVALID_HANDLE),
        };
        self.context_of(context)
    }

    /// Ends a context and all in it.
    pub fn destroy(&mut self, handle: Handle) -> Result<(), Code> {
        let context = self.contexts.remove(&handle).ok_or(INVALID_CONTEXT)?;
        self.objects.retain(|_, object| object.context != handle);
        if self.current() == handle {
            CURRENT.set(0);
        }
        self.write_down(&context.device, 0);
        Ok(())
    }

    /// Whether the device has `more` bytes beyond what this process holds of it. If so, they are written down.
    pub fn write_down(&mut self, device: &Device, more: u64) -> bool {
        let own = || self.contexts.values().filter(|context| context.device.uuid == device.uuid);
        let bytes = own().map(Context::bytes).sum::<u64>() + more;
        let peak = self.peak_of(device).max(bytes);
        let contexts = own().count() as u32 + u32::from(more > 0 && own().count() == 0);
        self.model.charge(device, Usage { bytes, peak, contexts })
    }

    /// What this process wrote down as the most that it held.
    fn peak_of(&self, device: &Device) -> u64 {
        let pid = std::process::id();
        let all = self.model.accounts.processes(&device.uuid);
        let own = all.iter().find(|process| process.pid == pid && process.lives());
        own.map_or(0, |process| process.usage.peak)
    }
}
