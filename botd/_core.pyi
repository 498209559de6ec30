__version__: str

# search
class MatchEquityTable:
    def __init__(
        self,
        pre_crawford: list[list[float]],
        post_crawford: list[float],
        *,
        derive_last_post_crawford: bool = False,
    ) -> None: ...
    @property
    def explicit_length(self) -> int: ...
    def chances(self, away: int, opponent_away: int, post_crawford: bool) -> float: ...

class CubeState:
    def __init__(
        self,
        value: int,
        owner: str,
        own_away: int = 0,
        opponent_away: int = 0,
        *,
        crawford: bool = False,
        jacoby: bool = False,
        beavers: bool = False,
    ) -> None: ...
    def other_side(self) -> CubeState: ...
    @property
    def may_double(self) -> bool: ...
