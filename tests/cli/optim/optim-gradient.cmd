trireme optim --gradient 9,-16,25 --alpha 0.5
