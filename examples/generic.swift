/// Generic code: a protocol with an associated type, a generic struct, errors and key paths.
protocol Store {
  associatedtype Item: Hashable
  mutating func put(_ item: Item) throws -> Bool
}

enum StoreError: Error { case full(limit: Int) }

struct Bag<Item: Hashable>: Store {
  private var counts: [Item: Int] = [:]
  let limit: Int
  init(limit: Int) { self.limit = limit }

  mutating func put(_ item: Item) throws -> Bool {
    guard counts.count < limit else { throw StoreError.full(limit: limit) }
    counts[item, default: 0] += 1
    return counts[item] == 1
  }
}

func fill<S: Store>(_ store: inout S, with items: [S.Item]) -> Int {
  var fresh = 0
  for item in items where (try? store.put(item)) == true { fresh += 1 }
  return fresh
}

var bag = Bag<String>(limit: 2)
print(fill(&bag, with: ["a", "b", "a"]), bag[keyPath: \.limit])
