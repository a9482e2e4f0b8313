"""The formats of packages, one in each file: functions from a program and facts to bytes."""
