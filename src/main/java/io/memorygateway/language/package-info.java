/**
 * Natural languages: recognises the language of a text, stems words, knows those that say little,
 * and resolves relative dates such as {@code yesterday}. Pure, and used by observers and by search.
 */
package io.memorygateway.language;
