trireme train --set data.kind=synthetic --set model.kind=mlp --set data.train_samples=100 --workers 2 2>&1
