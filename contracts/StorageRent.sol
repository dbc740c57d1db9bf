// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Sale of Makechain storage
/// @notice A rent is paid in the native currency of this chain and recorded as one Rented event. Attesters of a Makechain network
/// read the event in a finalized block and sign it; the signatures are claimed on Makechain. The contract is not upgradeable: other
/// rules need another contract, which the validators of the network choose.
contract StorageRent {
    /// @notice Storage was rented.
    /// @param owner The Makechain account that receives the storage.
    /// @param actor The account of this chain that paid.
    /// @param units The number of storage units.
    /// @param at The time of the block, in Unix seconds, when the term of the storage begins.
    event Rented(address indexed owner, address indexed actor, uint32 units, uint64 at);
    /// @notice A price was announced. It applies from the time `from`.
    event PriceAnnounced(uint128 price, uint64 from);
    event PausedChanged(bool paused);
    event Withdrawn(address indexed to, uint256 amount);
    event OperatorProposed(address indexed operator);
    event OperatorChanged(address indexed operator);

    /// @notice Only the operator, or the proposed operator for acceptOperator, may call.
    error NotAllowed();
    error Paused();
    error Reentered();
    /// @notice The account or recipient is the zero address.
    error ZeroAddress();
    error ZeroPrice();
    /// @notice The units are not between 1 and MAX_UNITS.
    error WrongUnits(uint32 units);
    /// @notice The payment is not exactly price() times units.
    error WrongValue(uint256 sent, uint256 required);
    error WithdrawalFailed();

    /// @notice The most units of one rent.
    uint32 public constant MAX_UNITS = 100_000;
    /// @notice The time between the announcement of a price and the moment from which it applies.
    uint64 public constant PRICE_DELAY = 2 days;

    /// @notice The account that sets the price, pauses new rents and withdraws.
    address public operator;
    /// @notice The account that may become the operator by calling acceptOperator.
    address public proposedOperator;
    /// @notice Whether new rents are refused. Nothing else is affected by a pause.
    bool public paused;

    bool private entered;
    uint128 private currentPrice;
    uint128 private announcedPrice;
    /// @notice The time from which the announced price applies.
    uint64 public announcedFrom;

    modifier onlyOperator() {
        if (msg.sender != operator) revert NotAllowed();
        _;
    }

    modifier notReentered() {
        if (entered) revert Reentered();
        entered = true;
        _;
        entered = false;
    }

    /// @param initialPrice The price of one unit, in wei.
    constructor(address initialOperator, uint128 initialPrice) {
        if (initialOperator == address(0)) revert ZeroAddress();
        if (initialPrice == 0) revert ZeroPrice();
        operator = initialOperator;
        currentPrice = initialPrice;
        announcedPrice = initialPrice;
        emit OperatorChanged(initialOperator);
        emit PriceAnnounced(initialPrice, 0);
    }

    /// @notice Rents storage for a Makechain account. The payment must be exactly price() times units.
    function rent(address owner, uint32 units) external payable notReentered {
        if (paused) revert Paused();
        if (owner == address(0)) revert ZeroAddress();
        if (units == 0 || units > MAX_UNITS) revert WrongUnits(units);
        uint256 required = uint256(price()) * units; // at most 2^128 * 100,000, far from overflow
        if (msg.value != required) revert WrongValue(msg.value, required);
        emit Rented(owner, msg.sender, units, uint64(block.timestamp));
    }

    /// @notice The price of one unit in this block, in wei.
    function price() public view returns (uint128) {
        return block.timestamp < announcedFrom ? currentPrice : announcedPrice;
    }

    /// @notice The price that was announced last. It applies from announcedFrom().
    function nextPrice() external view returns (uint128) {
        return announcedPrice;
    }

    /// @notice Announces a price, which applies after PRICE_DELAY. It replaces an announced price that does not apply yet.
    function announcePrice(uint128 newPrice) external onlyOperator {
        if (newPrice == 0) revert ZeroPrice();
        currentPrice = price();
        announcedPrice = newPrice;
        announcedFrom = uint64(block.timestamp) + PRICE_DELAY;
        emit PriceAnnounced(newPrice, announcedFrom);
    }

    /// @notice Stops new rents, or allows them again.
    function setPaused(bool value) external onlyOperator {
        paused = value;
        emit PausedChanged(value);
    }

    /// @notice Sends an amount of the contract's balance to an account.
    function withdraw(address payable to, uint256 amount) external onlyOperator notReentered {
        if (to == address(0)) revert ZeroAddress();
        emit Withdrawn(to, amount);
        (bool sent, ) = to.call{value: amount}("");
        if (!sent) revert WithdrawalFailed();
    }

    /// @notice Proposes another operator, who has to accept. The zero address withdraws a proposal.
    function proposeOperator(address proposed) external onlyOperator {
        proposedOperator = proposed;
        emit OperatorProposed(proposed);
    }

    /// @notice Makes the proposed operator, who calls this, the operator.
    function acceptOperator() external {
        if (msg.sender != proposedOperator) revert NotAllowed();
        operator = msg.sender;
        proposedOperator = address(0);
        emit OperatorChanged(msg.sender);
    }
}
