import settings
import chosen
