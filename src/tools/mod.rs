//! The five tools: one file each, from definition to answer.
