@file:JvmName("Catalog")
package com.example

import kotlin.math.max
import com.example.Book as Libro

const val MOST = 10
private val names by lazy { mapOf("}" to 1) }
typealias Handler = (String, Int) -> Unit

/** A book. It has pages. */
@Serializable
data class Book(
    val title: String, // its name
    private var pages: Int = 0,
) : Item(title), Comparable<Book> {
    val isLong: Boolean
        get() = pages > 100

    lateinit var owner: Owner
    constructor(title: String) : this(title, 0)
    init { require(pages >= 0) { "bad ${title.let { "}" }}" } }

    override fun compareTo(other: Book): Int =
        pages.compareTo(other.pages)

    companion object {
        fun of(text: String) = Book(text)
    }

    inner class Page(val number: Int)
}

sealed interface Result<out T> {
    object Empty : Result<Nothing>
    data class Full<T>(val value: T) : Result<T>
}

enum class Level(val n: Int) {
    LOW(1),
    /** Most. */
    HIGH(2) { override fun f() = 1 };

    open fun f() = 0
}

// 더한다.
suspend inline fun <reified T : Any> List<T>.total(
    crossinline f: (T) -> Int,
): Int where T : Comparable<T> {
    return sumOf { f(it) }
}

fun `name with spaces`() {}

object Registry : Base() {
    private fun hidden() {}
}
