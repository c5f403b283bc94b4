import south
import north
