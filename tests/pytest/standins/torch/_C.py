def _cuda_clearCublasWorkspaces():
    from torch import cuda

    cuda.workspaces.clear()
