using System;
using static System.Math;
using Json = System.Text.Json;

namespace Shop.Orders
{
    /// <summary>
    /// An order.
    /// </summary>
    [Serializable, Obsolete("use { other")]
    public sealed partial class Order<T> : Base, IComparable<Order<T>> where T : class, new()
    {
        private const int Most = 10;
        private readonly Dictionary<string, List<T>> items = new() { ["}"] = null };
        public string Name { get; private set; } = "x";
        public int Total => items.Count;
        public event EventHandler<int>? Changed;
        public T this[int index] { get => items[index]; set { } }

        #region Making
        /// <summary>Makes one.</summary>
        public Order(string name, params T[] more) : base(name)
        {
            Name = $"{name} }} {{";
        }
        #endregion

        public async Task<IEnumerable<T>> LoadAsync<K>(
            K key,
            CancellationToken token = default) where K : struct
        {
            await Task.Delay(1);
            var text = @"a "" } b";
            return null;
        }

        public override string ToString() => $"{Name}";
        public static Order<T> operator +(Order<T> a, Order<T> b) => a;
        void 숨김() { }

        public enum State { New, Paid = 2, [Old] Closed }
        public record Line(string Sku, int Count);
    }

    public interface IStore
    {
        Task SaveAsync(int id);
    }

    public delegate void Handler(object sender, int e);
    public record struct Point(int X, int Y) { public int Sum => X + Y; }
}
