/**
 * Fixed windows in MySQL that all nodes share exactly (contract §4).
 *
 * <p><b>The unit of counting</b> is the API key: the table {@code rate_limit_windows} has one row
 * per key, which holds the counters of all rules. A request is counted by its {@link
 * io.memorygateway.http.api.RequestKind}, which must be known from method and path alone, since the
 * decision is made before the body is read. CONTRIBUTING.md says what a new kind takes.
 *
 * <p><b>A decision</b> is made by the first of these that can, as the architecture page tells: a
 * <i>reserved permit</i> ({@link io.memorygateway.ratelimit.window.Reservations}), the <i>cache</i>
 * of full windows ({@link io.memorygateway.ratelimit.window.WindowCache}), a <i>batch</i> ({@link
 * io.memorygateway.ratelimit.window.WindowStatement} says how SQL decides), or, <i>without the
 * database</i>, the policy {@code onStorageFailure} ({@link
 * io.memorygateway.ratelimit.window.LocalWindows}).
 *
 * <p>Each key belongs to one {@link io.memorygateway.ratelimit.window.Lane}; a lane has one queue,
 * one worker thread and one connection, so that a node never waits for itself to unlock a row.
 *
 * <p><b>The states of a lane</b>, as {@link io.memorygateway.ratelimit.window.LaneState} holds them
 * and its worker alone changes them:
 *
 * <pre>
 *   start ──&gt; LOCAL ──(connected, a probe is answered within half the timeout)──&gt; REJOINING
 *               ^                                                                   │
 *               │        adds the permits that this node admitted; some arrive      │
 *               │&lt;─(that fails: they are left for the next attempt)── meanwhile ──────│
 *               │                                                                   v
 *               └──(timeout, or the connection is lost and no other can be had)── SHARED
 *   any ──(stop)──&gt; STOPPED: reserved permits are returned, requests are decided as in LOCAL
 * </pre>
 *
 * LOCAL: {@code shared} is false and the local windows are open; waiting requests are released and
 * decided locally. REJOINING: first the permits admitted so far are added while the local windows
 * still decide; then these close, {@code shared} becomes true, and the rest is added before the
 * first batch. A caller that finds neither open tries again immediately. SHARED: the local windows
 * are closed. A database that answers slowly, or refuses a statement, does not change the state:
 * the request waits, or is refused with 503, and nobody counts alone.
 *
 * <p><b>Threads.</b> {@code Lane}, {@code PermitRequest.await} and {@code LocalWindows.decide} run
 * in the threads of callers, platform or virtual; {@code LaneWorker}, {@code BatchDecider}, {@code
 * WindowStore}, the planning of reservations and every change of {@code LaneState} run in the
 * worker's. They meet in {@code RequestQueue} (a concurrent queue; park and unpark), in {@code
 * PermitRequest} (compare-and-set, so that a caller that gave up is never decided), in {@code
 * Reservation} (an atomic count of permits), in {@code WindowCache} (a concurrent map of immutable
 * values) and in {@code LocalWindows} (a lock).
 *
 * <p><b>Arrays</b> of {@code long}, as starts, used, limits and windows' lengths, are indexed <i>by
 * rule</i>, in the order of {@link io.memorygateway.ratelimit.window.RuleSet}. Arrays of {@code
 * int} that hold permits, as wanted, granted and reserved, are indexed <i>by kind</i>, {@link
 * io.memorygateway.http.api.RequestKind#index()}. {@code RuleSet.applicable(kind)} leads from a
 * kind to its rules. <i>Slots</i> are the numbers of columns in the table ({@code start_N}, {@code
 * used_N}), one for each rule, agreed on by all nodes ({@link
 * io.memorygateway.ratelimit.window.RuleSlots}).
 *
 * <p><b>Exactness</b>: wherever an answer, a node or the database is lost, too few requests may be
 * admitted in the running window, never too many. A transaction of unknown outcome may have counted
 * and is not undone; unused permits are returned in one attempt. Time is the database's, estimated
 * between two bounds ({@link io.memorygateway.ratelimit.window.DatabaseClock}); near the end of a
 * window nothing is refused from the cache and nothing reserved. A window that is full of what
 * other nodes have reserved refuses nobody before they have returned it ({@link
 * io.memorygateway.ratelimit.window.Holders}).
 */
@NullMarked
package io.memorygateway.ratelimit.window;

import org.jspecify.annotations.NullMarked;
