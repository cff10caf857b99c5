trireme bench wheelbarrow
