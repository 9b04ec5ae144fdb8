"""Ordinary and hostile queries."""

VIETNAM = "movies set in Vietnam but not about war"
PLAIN = "history of suspension bridges"
TWO_NEGATIONS = "comedies or musicals from the 1960s that are not French and without any subtitles"
LONG = (
    "I am looking for long historical novels about the sea, preferably written by women before the nineteen fifties, "
    "which take place on whaling ships or in small harbour towns of northern Europe, but excluding anything to do with "
    "pirates, treasure or naval battles please"
)
HOSTILE = "<script>document.title='stolen'</script> \"films\" & </style> أفلام 🎬 $x$ not about war\u202e' onload=\"x"
ENDLESS = "films not about " + "war" * 60
