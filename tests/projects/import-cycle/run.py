import a

a.go()
