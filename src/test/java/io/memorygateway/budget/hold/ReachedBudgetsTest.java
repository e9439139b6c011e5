package io.memorygateway.budget.hold;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.memorygateway.budget.BudgetsConfiguration;
import io.memorygateway.budget.Settlements.Reached;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The log of calls does not wait for the names that its lines of budgets have. */
class ReachedBudgetsTest {
  private static final Logger LOGGER = (Logger) LoggerFactory.getLogger(ReachedBudgets.class);

  private final AtomicInteger asked = new AtomicInteger();
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  @BeforeEach
  void listen() {
    lines.start();
    LOGGER.addAppender(lines);
  }

  @AfterEach
  void leave() {
    LOGGER.detachAppender(lines);
  }

  @Test
  void whoAddsDoesNotAskTheDatabase() {
    List<Runnable> later = new ArrayList<>();

    reached(later::add).add(List.of(new Reached("b", "key", 7, 50)));
    assertThat(asked).hasValue(0);

    later.forEach(Runnable::run);
    assertThat(asked).hasValue(1);
    assertLogged();
  }

  @Test
  void whereManyWaitTheNumberIsLoggedForTheName() {
    reached(
            task -> {
              throw new RejectedExecutionException();
            })
        .add(List.of(new Reached("b", "key", 7, 50)));

    assertThat(asked).hasValue(0);
    assertLogged();
  }

  private ReachedBudgets reached(Executor lookUps) {
    Jdbi away =
        Jdbi.create(
            () -> {
              asked.incrementAndGet();
              throw new SQLException("away");
            });
    return new ReachedBudgets(
        BudgetModule.forCommand(BudgetsConfiguration.defaults()), away, lookUps);
  }

  private void assertLogged() {
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly("The budget b of the key with the number 7 has come to 50 % of its limit");
  }
}
