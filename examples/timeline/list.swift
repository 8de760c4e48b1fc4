final class Node {
  var value = 1
  var next: Node?
}

func sum(_ list: Node?) -> Int {
  var (node, total) = (list, 0)
  while let current = node {
    total += current.value
    node = current.next
  }
  return total
}
