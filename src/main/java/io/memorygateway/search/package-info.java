/**
 * Search in messages by their words (contract §11): BM25 over the messages of one thread, or of all
 * threads of one resource. {@link io.memorygateway.search.Search} is the way in: {@code search} for
 * the memory API, and {@code recall} for turns, which never waits for long.
 *
 * <p>The terms of a thread ({@code ThreadTerms}) are read from the database when it is searched for
 * the first time ({@code ThreadIndexes}), cached under a bound of bytes, and brought up to the
 * version of the thread at each search, so that nothing is written when messages are stored. {@code
 * TermReader} cuts texts into terms, {@code Ranking} looks up and scores, {@code HitReader} reads
 * what was found, so that nothing deleted is shown. What takes long runs in {@code ScanThreads}.
 */
package io.memorygateway.search;
