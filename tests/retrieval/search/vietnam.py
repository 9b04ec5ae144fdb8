"""A handful of films and a query that wants some and excludes others."""

QUERY = "movies set in Vietnam but not about war"
FILMS = {
    "platoon": "A platoon of soldiers fights the war in the jungle of Vietnam.",
    "veteran": "A veteran of the Vietnam war comes home.",
    "pilots": "Pilots bomb a bridge in Vietnam during the war.",
    "cooking": "A cooking show travels through Vietnam.",
    "hanoi": "A love story in the streets of Hanoi.",
    "river": "Two sisters grow up on a river in Vietnam.",
    "trench": "Soldiers wait for the end of the war in a trench in France.",
    "xqz17": "The xqz17 case: a lawyer looks for a lost file.",
    "cowboy": "A cowboy drives cattle to Abilene.",
    "space": "A crew travels to the moons of Jupiter.",
}
WAR = {"platoon", "veteran", "pilots", "trench"}
