protocol Priced {
  var price: Int { get }
}

class Item: Priced {
  var name: String
  var price: Int
  var next: Item?

  init(name: String, price: Int) {
    self.name = name
    self.price = price
  }

  func discounted() -> Int { price }
}

final class Sale: Item {
  override func discounted() -> Int { price / 2 }
}

final class Inventory {
  var items: [Item] = []
  var newest: Item?
  var onChange: (Int) -> Void = { _ in }

  func add(_ item: Item) {
    item.next = newest
    newest = item
    items.append(item)
    onChange(items.count)
  }

  func total() -> Int {
    var sum = 0
    for item in items {
      sum += item.discounted()
    }
    return sum
  }
}

public func makeCounter() -> () -> Int {
  var count = 0
  return {
    count += 1
    return count
  }
}

func sum(of things: [any Priced]) -> Int {
  var sum = 0
  for thing in things {
    sum += thing.price
  }
  return sum
}

var log: [Int] = []

public func run() -> Int {
  let inventory = Inventory()
  inventory.onChange = { log.append($0) }
  inventory.add(Item(name: "table", price: 120))
  inventory.add(Sale(name: "chair", price: 40))
  return inventory.total() + sum(of: inventory.items)
}
