package dev.fencing.examples.bank;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** One process of the bank. */
@SpringBootApplication(proxyBeanMethods = false)
@ConfigurationPropertiesScan
public class BankApplication {

  /** Starts it; arguments are properties, such as {@code --server.port=8080}. */
  public static void main(String[] args) {
    SpringApplication.run(BankApplication.class, args);
  }
}
