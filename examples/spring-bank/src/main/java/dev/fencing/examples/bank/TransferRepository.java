package dev.fencing.examples.bank;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** The ledger. */
interface TransferRepository extends JpaRepository<Transfer, UUID> {}
