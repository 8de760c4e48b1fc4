/// Concurrency, ownership and existentials: an actor, async calls, a move-only type, `any`.
protocol Named { var name: String { get } }

struct Handle: ~Copyable {
  let id: Int
  consuming func close() -> Int { id }
  deinit { print("closed") }
}

actor Counter: Named {
  nonisolated let name = "counter"
  private var value = 0
  func next() -> Int { value += 1; return value }
}

func describe(_ things: [any Named]) -> String { things.map(\.name).joined(separator: ",") }

@main struct Main {
  static func main() async {
    let counter = Counter()
    async let a = counter.next()
    let b = await counter.next()
    print(await a + b, describe([counter]), Handle(id: 7).close())
  }
}
