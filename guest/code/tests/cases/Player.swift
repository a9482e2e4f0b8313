import Foundation
@testable import Core

/// Plays. And stops.
@MainActor
public final class Player<Item: Playable>: NSObject, Delegate where Item: Hashable {
    public private(set) var items: [Item] = []
    static let shared = Player()
    private var volume: Double {
        didSet { print("volume \(volume > 1 ? "}" : "{")") }
    }

    public init?(name: String, _ items: Item...) {
        guard !items.isEmpty else { return nil }
    }

    deinit { stop() }

    /// Plays an item.
    @discardableResult
    public func play<T>(
        _ item: T,
        at time: Double = 0,
        then done: @escaping (Result<T, Error>) -> Void
    ) async throws -> Bool where T: Playable {
        return true
    }

    class func make() -> Self { fatalError(#"\(no) }"#) }
    subscript(index: Int) -> Item { items[index] }

    enum State: String, CaseIterable {
        case idle, playing
        /// Broken.
        case failed(Error, code: Int = 1)
        indirect case nested(State)
        var isOn: Bool { self == .playing }
    }
}

protocol Playable: AnyObject {
    associatedtype Body
    var title: String { get set }
    func prepare() throws
}

extension Array where Element: Playable {
    func 모두() {}
}

struct Point { let x, y: Int }
typealias Handler = (Int) -> Void
func + (a: Point, b: Point) -> Point { a }
#if os(Linux)
func only() {}
#endif
fileprivate func hidden() {}
