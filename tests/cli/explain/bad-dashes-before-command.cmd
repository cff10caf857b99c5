trireme -- explain
