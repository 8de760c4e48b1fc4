struct _SwiftArrayBodyStorage {
  @_hasStorage var count: Int { get set }
  @_hasStorage var _capacityAndFlags: UInt { get set }
}
struct _SwiftHashingParameters {
  @_hasStorage var seed0: UInt64 { get set }
  @_hasStorage var seed1: UInt64 { get set }
  @_hasStorage var deterministic: Bool { get set }
}
struct _FieldReflectionMetadata {
  @_hasStorage var name: UnsafePointer<Int8>? { get set }
  @_hasStorage var freeFunc: (@convention(c) (UnsafePointer<Int8>?) -> ())? { get set }
  @_hasStorage var isStrong: Bool { get set }
  @_hasStorage var isVar: Bool { get set }
}
struct _SwiftEmptyArrayStorage {
  @_hasStorage var body: _SwiftArrayBodyStorage { get set }
}
struct _SwiftEmptyDictionarySingleton {
  @_hasStorage var count: Int { get set }
}
struct _SwiftEmptySetSingleton {
  @_hasStorage var count: Int { get set }
}
struct timespec {
  @_hasStorage var tv_sec: Int { get set }
  @_hasStorage var tv_nsec: Int { get set }
}
struct _SwiftStdlibVersion {
  @_hasStorage var _value: UInt32 { get set }
}
