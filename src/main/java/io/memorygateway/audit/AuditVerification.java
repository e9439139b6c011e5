package io.memorygateway.audit;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verification of the audit log's chain, which finds rows that differ from what was added. Rows
 * must be passed in the order of their numbers.
 */
public final class AuditVerification {
  static final int MAX_FAULTS = 100;

  private final @Nullable AuditHead noted;
  private final List<String> faults = new ArrayList<>();
  private AuditHead last;
  private long rows;

  /**
   * @param start number and hash of the row before the first; {@link AuditHead#EMPTY} for all rows
   * @param noted number and hash of a row, recorded outside of the database; null for none
   */
  AuditVerification(AuditHead start, @Nullable AuditHead noted) {
    this.last = start;
    this.noted = noted;
  }

  /** The report so far, before the end of the log. */
  Report soFar() {
    return new Report(rows, last.seq(), last.hash(), faults);
  }

  /** Notes a row in front of the chain. */
  void stranger(long seq) {
    fault("row " + seq + " is none of the chain, which begins with row 1");
  }

  void next(AuditRow row) {
    rows++;
    boolean gap = row.seq() != last.seq() + 1;
    if (gap) {
      fault(missing(last.seq() + 1, row.seq() - 1));
    } else if (!row.previousHash().equals(last.hash())) {
      fault("row " + row.seq() + " does not follow the row before it");
    }
    if (!row.hash().equals(row.computeHash())) {
      fault("row " + row.seq() + " was changed");
    }
    if (noted != null && noted.seq() == row.seq() && !noted.hash().equals(row.hash())) {
      fault("row " + row.seq() + " is not the row whose hash was noted");
    }
    last = new AuditHead(row.seq(), row.hash());
  }

  /**
   * Ends the verification.
   *
   * @param head stored beside the log; null if it is missing
   */
  Report end(@Nullable AuditHead head) {
    if (head == null) {
      fault("the row of audit_head is missing");
    } else if (head.seq() > last.seq()) {
      fault(missing(last.seq() + 1, head.seq()) + " at the end");
    } else if (head.seq() < last.seq()) {
      fault("there are rows behind row " + head.seq() + ", the last one according to audit_head");
    } else if (!head.hash().equals(last.hash())) {
      fault("row " + last.seq() + " is not the last one that audit_head knows");
    }
    if (noted != null && noted.seq() > last.seq()) {
      fault(missing(last.seq() + 1, noted.seq()) + " at the end");
    }
    return soFar();
  }

  private void fault(String fault) {
    if (faults.size() < MAX_FAULTS) {
      faults.add(fault);
    }
  }

  private static String missing(long from, long to) {
    return from == to
        ? "row " + from + " is missing"
        : "rows " + from + " to " + to + " are missing";
  }

  /**
   * Result of a verification.
   *
   * @param rows number of rows
   * @param lastSeq number of the last row; 0 if there is none
   * @param lastHash hash of the last row; to be recorded, with its number, outside of the database
   * @param faults the first hundred; none if every row is as it was added
   */
  public record Report(long rows, long lastSeq, String lastHash, List<String> faults) {
    public Report {
      faults = List.copyOf(faults);
    }
  }
}
