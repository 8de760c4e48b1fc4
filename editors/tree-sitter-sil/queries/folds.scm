[(body) (block) (table)] @fold
