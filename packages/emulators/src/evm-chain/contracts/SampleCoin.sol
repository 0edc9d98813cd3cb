// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.37;

/// An ERC-20 whose deployer mints.
contract SampleCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    error NotTheMinter();
    error ZeroAddress();
    error BalanceTooLow(address owner, uint256 balance, uint256 needed);
    error AllowanceTooLow(address spender, uint256 allowance, uint256 needed);

    string public name;
    string public symbol;
    uint8 public immutable decimals;
    address public immutable minter;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    modifier onlyMinter() {
        require(msg.sender == minter, NotTheMinter());
        _;
    }

    constructor(string memory name_, string memory symbol_, uint8 decimals_) {
        name = name_;
        symbol = symbol_;
        decimals = decimals_;
        minter = msg.sender;
    }

    function mint(address to, uint256 amount) external onlyMinter {
        _mint(to, amount);
    }

    /// Mints the same amount to each receiver, in one transaction.
    function mintMany(address[] calldata receivers, uint256 amount) external onlyMinter {
        for (uint256 i = 0; i < receivers.length; i++) _mint(receivers[i], amount);
    }

    function burn(uint256 amount) external {
        _take(msg.sender, amount);
        totalSupply -= amount;
        emit Transfer(msg.sender, address(0), amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) {
            require(allowed >= amount, AllowanceTooLow(msg.sender, allowed, amount));
            allowance[from][msg.sender] = allowed - amount;
        }
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        require(to != address(0), ZeroAddress());
        _take(from, amount);
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }

    function _mint(address to, uint256 amount) private {
        require(to != address(0), ZeroAddress());
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function _take(address from, uint256 amount) private {
        uint256 balance = balanceOf[from];
        require(balance >= amount, BalanceTooLow(from, balance, amount));
        balanceOf[from] = balance - amount;
    }
}
