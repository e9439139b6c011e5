/**
 * Natural languages: recognises the language of a text, stems words, and resolves relative dates
 * such as {@code yesterday}. English, German, French and Spanish; other text is unchanged. Pure,
 * and used by observers and by search.
 */
package io.memorygateway.language;
