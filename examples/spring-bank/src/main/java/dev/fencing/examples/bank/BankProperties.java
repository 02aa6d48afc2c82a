package dev.fencing.examples.bank;

import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The bank's own settings.
 *
 * @param peers the URLs of all processes of the bank, this one included, for its page
 * @param screening how long the screening of a transfer takes
 * @param largeScreening how long that of a large one takes
 */
@ConfigurationProperties(prefix = "bank")
record BankProperties(
    @DefaultValue List<String> peers,
    @DefaultValue("20ms") Duration screening,
    @DefaultValue("1s") Duration largeScreening) {}
