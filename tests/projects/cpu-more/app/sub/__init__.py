from ..deep import thing
