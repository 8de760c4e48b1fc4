/// Areas of shapes: an enum with payloads, a class, a closure and a loop.
enum Shape {
  case circle(radius: Double)
  case rectangle(width: Double, height: Double)
  case empty

  var area: Double {
    switch self {
    case .circle(let radius): return 3.14159 * radius * radius
    case .rectangle(let width, let height): return width * height
    case .empty: return 0
    }
  }
}

final class Canvas {
  var shapes: [Shape] = []
  func add(_ shape: Shape) { shapes.append(shape) }
  func total() -> Double { shapes.reduce(0) { $0 + $1.area } }
}

let canvas = Canvas()
canvas.add(.circle(radius: 1))
canvas.add(.rectangle(width: 2, height: 3))
print(canvas.total())
