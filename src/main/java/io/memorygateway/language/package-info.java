/**
 * What is known of natural languages: which one a text is in, the stems of its words, and the dates
 * that words such as {@code yesterday} mean. English, German, French and Spanish; everything else
 * is left as it is. Pure, and used by observers and by search alike.
 */
package io.memorygateway.language;
