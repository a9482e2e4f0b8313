#include <vector>
#include "matrix.hpp"

using namespace std;
using Row = vector<double>;

namespace math::linear {

/// A matrix. Of numbers.
template <typename T, size_t N = 4>
class Matrix final : public Base<T>, private Other {
    Q_OBJECT
    int hidden_ = 0;
public:
    explicit Matrix(size_t rows, T value = T{}) : rows_{rows}, data_(rows) {}
    virtual ~Matrix() = default;
    Matrix(const Matrix&) = delete;

    T& operator()(size_t i, size_t j) { return data_[i]; }
    bool operator==(const Matrix& other) const noexcept;
    template <class F> auto map(F&& f) const -> Matrix<decltype(f(T{}))>;
    static constexpr int kSize = 1'000;
    [[nodiscard]] size_t rows() const { return rows_; }
    enum class Order : char { Row, Column };

private:
    vector<T> data_;
    struct Cell { int x{0}; };
};

// Prints it.
template <typename T>
void Matrix<T>::print(std::ostream& out) const {
    out << R"x(} ")x" << '{';
    auto f = [&](int x) { return x; };
}

Matrix<int>::Matrix(int a, int b)
    : Base(a), b_{b}
{
}

static int helper(const std::map<std::string, int>& names) { return 0; }
int 더하기(int a, int b) { return a + b; }

}  // namespace math::linear

extern "C" {
int c_api(void);
}

union Value { int i; float f; };
const int kLimit = 10;
