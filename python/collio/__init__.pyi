from .library import AccessError as AccessError
from .library import ArgumentError as ArgumentError
from .library import Decomposition as Decomposition
from .library import Error as Error
from .library import ExistsError as ExistsError
from .library import File as File
from .library import NotFoundError as NotFoundError
from .library import PeerError as PeerError
from .library import Request as Request
from .library import Variable as Variable
from .library import box as box
from .library import load as load
from .library import map as map
from .library import open as open
from .library.arrays import array as array

__version__: str
