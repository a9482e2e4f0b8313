# Builds.
CC ?= cc
FLAGS = -O2

# All of it.
all: build test
	$(CC) $(FLAGS)

build:
	echo "{"

.PHONY: all
