// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {StorageRent} from "../StorageRent.sol";

/// @title An operator that enters the contract again while it receives a withdrawal
contract Reentrant {
    StorageRent private target;
    bytes private attack;
    uint256 private attackValue;
    /// @notice Whether the attack was refused with the error Reentered.
    bool public refused;

    function accept(StorageRent rent) external {
        target = rent;
        rent.acceptOperator();
    }

    /// @notice Withdraws to this contract, which calls the contract again with the data and value.
    function withdraw(uint256 amount, bytes calldata data, uint256 value) external {
        attack = data;
        attackValue = value;
        refused = false;
        target.withdraw(payable(this), amount);
    }

    receive() external payable {
        if (attack.length == 0) revert();
        (bool succeeded, bytes memory reason) = address(target).call{value: attackValue}(attack);
        refused = !succeeded && bytes4(reason) == StorageRent.Reentered.selector;
    }
}

/// @title A buyer that rents several times in one transaction
contract Twice {
    function rent(StorageRent target, address[] calldata owners, uint32 units) external payable {
        uint256 value = uint256(target.price()) * units;
        for (uint256 i = 0; i < owners.length; i++) {
            target.rent{value: value}(owners[i], units);
        }
    }
}
