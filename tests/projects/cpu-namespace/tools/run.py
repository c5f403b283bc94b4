from tools.inner import deep
