trireme explian ring
