/// A module interface: what `swiftc -emit-module-interface` prints of the public declarations.
public protocol Area {
  var area: Double { get }
}

public struct Circle: Area {
  public var radius: Double
  public init(radius: Double) { self.radius = radius }
  public var area: Double { 3.14159 * radius * radius }
}

@frozen public enum Side: Int { case left, right }

open class Figure: Area {
  public init() {}
  open var area: Double { 0 }
}

extension Array: Area where Element: Area {
  public var area: Double { reduce(0) { $0 + $1.area } }
}
